import * as current from '@modelcontextprotocol/client';
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as ClassicPipe } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Actor } from '../helpers/actors.ts';
import type { ToolAnswer } from './mcp-stage.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

/** What the official clients have alike, as far as it is used here. */
export interface Connected {
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  readonly callTool: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<ToolAnswer>;
  readonly instructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

const me = { name: 'tests', version: '1.0.0' };

/** A `fetch` that sends every request as somebody. */
const fetchAs =
  (actor: Actor): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    for (const [name, value] of Object.entries(await actor.headers(new URL(request.url).pathname)))
      request.headers.set(name, value);
    return fetch(request);
  };

async function classicOver(transport: ClassicPipe): Promise<Connected> {
  const client = new ClassicClient(me);
  await client.connect(transport);
  return {
    listTools: () => client.listTools(),
    callTool: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, options)) as unknown as ToolAnswer,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

async function currentOver(transport: current.Transport, mode?: current.VersionNegotiationMode): Promise<Connected> {
  const client = new current.Client(me, mode === undefined ? {} : { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    listTools: () => client.listTools(),
    callTool: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args }, options)) as unknown as ToolAnswer,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

type OverHttp = (url: URL, actor: Actor) => Promise<Connected>;

/** Every generation of the official clients, over HTTP. */
export const overHttp: readonly (readonly [string, OverHttp])[] = [
  ['the classic SDK', (url, actor) => classicOver(new ClassicTransport(url, { fetch: fetchAs(actor) }) as ClassicPipe)],
  [
    'the current client',
    (url, actor) => currentOver(new current.StreamableHTTPClientTransport(url, { fetch: fetchAs(actor) })),
  ],
  [
    'the current client held to 2026-07-28',
    (url, actor) =>
      currentOver(new current.StreamableHTTPClientTransport(url, { fetch: fetchAs(actor) }), { pin: '2026-07-28' }),
  ],
];

export { classicOver, currentOver };
