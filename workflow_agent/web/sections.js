// What the sections of a request are, in the words of the API.

export const SECTIONS = {
  prompt_module: "The instructions of the mode: its Markdown file.",
  phase: "What the conversation's phase adds to them.",
  memory: "Facts of the run: today, the agents, the workflows dealt with before.",
  workflow: "The open workflow, in outline.",
  calls: "The latest call records, and how a program reads the others.",
  tools: "The definitions of the tools that are offered.",
  summary: "The summary that stands for compacted turns, with its frame.",
  ledger: "The facts of compacted turns that are kept word for word.",
  history: "The earlier turns that are in view, with their frame.",
  artifacts: "Documents and earlier results that were put before the message.",
  message: "The message to answer.",
  run: "What this run's own steps added: calls and their results.",
};
