// The conversation that is open: what is sent, what comes back, and where one is.

import { ask, at, Problem } from "./api.js";
import { newKey, RunFollower } from "./run.js";
import { problemOf } from "./unanswered.js";
import { shortened } from "./words.js";

const UNDER_WAY = new Set(["accepted", "running"]);

export class Chat {
  constructor({ thread, announcer, on }) {
    this.thread = thread;
    this.announcer = announcer;
    this.on = on;
    this.id = null;
    this.follower = null;
  }

  /** Leave the conversation; its run goes on without a reader. */
  leave() {
    this.follower?.leave();
    this.follower = null;
    this.id = null;
    this.on.busy(false);
  }

  /** Show a conversation, and follow its run where one is under way. */
  async open(id) {
    this.leave();
    this.id = id;
    const events = await this.thread.load(id);
    if (!events || this.id !== id) return;
    this.on.loaded(events);
    const last = events.find((event) => event.type !== "system_event");
    if (last?.type === "user_message" && last.run_id) await this.#goOn(last);
    else if (last?.type === "agent_reply") await this.#goOnWithOthers(last);
  }

  /** Follow the agents that still answer after the one whose reply is there. */
  async #goOnWithOthers(reply) {
    const here = this.id;
    const turn = await ask(at("conversations", here, "turns", String(reply.turn))).catch(() => null);
    const run = turn?.runs?.find((one) => UNDER_WAY.has(one.status));
    if (!run || this.id !== here || this.follower) return;
    await this.#follow(this.thread.addReply(), (follower) => follower.attach(run.run_id, { skips: true }), () => this.say(turn.message.content));
  }

  async #goOn(message) {
    const run = await ask(at("runs", message.run_id)).catch(() => null);
    if (!run || this.id !== run.conversation_id) return;
    const reply = this.thread.addReply();
    if (UNDER_WAY.has(run.status)) {
      await this.#follow(reply, (follower) => follower.attach(run.run_id), () => this.say(message.content));
    } else {
      reply.failed(problemOf(run), () => this.say(message.content));
    }
  }

  /** Say something in a branch that leaves this conversation before a turn. */
  async branch(turn, text, options) {
    let id = null;
    if (turn > 1) id = (await ask(at("conversations", this.id, "fork"), { method: "POST", body: { turn: turn - 1, title: shortened(text.replace(/\s+/g, " "), 80) }, headers: { "Idempotency-Key": newKey() } })).id;
    await this.on.branched(id);
    await this.say(text, options);
  }

  /** Say something here, or in a new conversation. */
  async say(text, options = {}, key = newKey()) {
    if (this.follower) return;
    const here = this.id;
    const message = this.thread.addMessage({ content: text, author: "user", attachments: options.attachments, at: new Date().toISOString() });
    const reply = this.thread.addReply();
    reply.started({ agent: options.agent ?? "assistant" });
    const body = { message: text, ...options, ...(here ? { conversation_id: here } : {}) };
    await this.#follow(reply, (follower) => follower.start(body, key), () => {
      if (message.turn) return this.say(text, options);
      // It never arrived, as far as one can tell: sent again it is still the same message.
      message.remove();
      reply.element.remove();
      return this.say(text, options, key);
    }, message);
  }

  async #follow(reply, go, again, message) {
    const talk = { reply, again, message, starts: 0 };
    const follower = new RunFollower((name, data) => {
      if (this.follower === follower) this.#take(talk, name, data);
    });
    this.follower = follower;
    this.on.busy(true);
    try {
      await go(follower);
    } catch (error) {
      if (this.follower === follower) this.#refused(talk.reply, error, again);
    } finally {
      if (this.follower === follower) {
        this.follower = null;
        this.on.busy(false);
      }
    }
  }

  #refused(reply, error, again) {
    if (!(error instanceof Problem)) throw error;
    const isBusy = error.code === "conversation_busy";
    reply.failed(isBusy ? { detail: "Another message is being answered here. Wait for its reply, then try again." } : error.document, again);
    this.thread.toEnd();
  }

  #take(talk, name, data) {
    if (name === "start") this.#started(talk, data);
    const { reply } = talk;
    if (name === "mode") reply.mode(data);
    else if (name === "tool_call") reply.called(data);
    else if (name === "tool_result") reply.returned(data);
    else if (name === "delta") reply.said(data.text);
    else if (name === "complete") this.#complete(reply, data);
    else if (name === "error") reply.failed(this.follower.isCancelled ? { code: "cancelled" } : data, talk.again);
    if (name !== "delta") this.thread.follow();
  }

  #started(talk, data) {
    talk.starts += 1;
    // Each agent that was asked begins a reply of its own.
    if (talk.starts > 1) talk.reply = this.thread.addReply();
    talk.reply.started(data);
    talk.message?.accepted(data);
    if (!this.id) {
      this.id = data.conversation_id;
      this.thread.id = this.id;
      this.on.created(this.id);
    }
    this.announcer.textContent = "The assistant is answering.";
  }

  #complete(reply, data) {
    reply.finished(data);
    this.thread.replies.set(data.turn, reply);
    this.thread.settle(reply);
    if (data.other_replies?.length) this.thread.load(data.conversation_id);
    this.announcer.textContent = `Reply: ${shortened(reply.body.textContent, 600)}`;
    this.on.completed(data);
  }

  /** Stop the run that is under way. */
  async stop() { await this.follower?.cancel(); }

  /** Ask once more what was asked in a turn. */
  async retry(turn) {
    const { message } = await ask(at("conversations", this.id, "turns", String(turn)));
    await this.say(message.content);
  }
}
