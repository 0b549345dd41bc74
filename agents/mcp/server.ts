import type { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { RunningCalls } from './running-calls.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** How far a call has come, as the protocol tells of it. */
export interface Progress {
  /** Grows with every word. */
  readonly progress: number;
  /** What it grows to, where that is known. */
  readonly total?: number;
  readonly message?: string;
}

/** One `tools/call`; its arguments have not been checked yet. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  /** As its client names the session it belongs to; anybody may name any. */
  readonly session?: string | undefined;
  /** To be told how it goes on; undefined where the caller does not want to know, or cannot be told. */
  readonly progress?: ((progress: Progress) => void) | undefined;
}

export interface ToolResult {
  readonly content: readonly object[];
  readonly structuredContent?: object;
  readonly isError?: true;
  readonly _meta?: object;
}

/** What is served over the Model Context Protocol at one path: all that the generations of the protocol leave open. */
export interface McpServer {
  readonly info: ServerInfo;
  readonly path: string;
  /** What a model is told of the whole, once. */
  readonly instructions?: string;
  /** Calls that a later message may cancel; undefined: none is kept. */
  readonly calls?: RunningCalls;
  /** The tools as `tools/list` shows them, in one page. */
  readonly listTools: () => readonly object[];
  /** What goes wrong inside a tool is its result, for the model to read. @throws RpcError for what is no call of a tool */
  readonly callTool: (ctx: Context, call: ToolCall) => Promise<ToolResult>;
  /** What a refusal says of itself in `data`. */
  readonly facts: (refusal: ServiceError, traceId: string) => object;
}
