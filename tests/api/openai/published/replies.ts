// What the service sends, in OpenAI's published types; where these are a choice, the kind it sends.

import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Conversation, ConversationDeletedResource, Message } from "openai/resources/conversations/conversations";
import type { ConversationItemList } from "openai/resources/conversations/items";
import type { Model } from "openai/resources/models";
import type * as R from "openai/resources/responses/responses";
import type { ResponseItemList } from "openai/resources/responses/input-items";
import type { ErrorObject } from "openai/resources/shared";

type Changed<T, Parts> = Omit<T, keyof Parts> & Parts;
// `output_text` is made by the client.
export type Response = Changed<Omit<R.Response, "output_text">, {
  instructions: string | null;
  model: string;
  output: R.ResponseOutputMessage[];
  tool_choice: R.ToolChoiceOptions;
  tools: R.FunctionTool[];
}>;
type Carrying<Event> = Changed<Event, { response: Response }>;
export type Item = Changed<Message, { content: (R.ResponseInputText | R.ResponseOutputText)[] }>;
type Items<List> = Changed<List, { data: Item[] }>;

export interface Replies {
  "model": Model;
  "list of models": { object: "list"; data: Model[] };
  "chat.completion": ChatCompletion;
  "chat.completion.chunk": ChatCompletionChunk;
  "conversation": Conversation;
  "conversation.deleted": ConversationDeletedResource;
  "item": Item;
  "list of items": Items<ConversationItemList>;
  "list of input items": Items<ResponseItemList>;
  "error": { error: ErrorObject };
  "response": Response;
  "response.created": Carrying<R.ResponseCreatedEvent>;
  "response.in_progress": Carrying<R.ResponseInProgressEvent>;
  "response.completed": Carrying<R.ResponseCompletedEvent>;
  "response.failed": Carrying<R.ResponseFailedEvent>;
  "response.incomplete": Carrying<R.ResponseIncompleteEvent>;
  "event error": R.ResponseErrorEvent;
  "response.output_item.added": Changed<R.ResponseOutputItemAddedEvent, { item: R.ResponseOutputMessage }>;
  "response.output_item.done": Changed<R.ResponseOutputItemDoneEvent, { item: R.ResponseOutputMessage }>;
  "response.content_part.added": R.ResponseContentPartAddedEvent;
  "response.content_part.done": R.ResponseContentPartDoneEvent;
  "response.output_text.delta": R.ResponseTextDeltaEvent;
  "response.output_text.done": R.ResponseTextDoneEvent;
}
