import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';

export interface ToolAnswer {
  readonly isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly structuredContent: any;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly _meta?: Record<string, unknown>;
}

export interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: string;
    readonly properties: Readonly<Record<string, { readonly description?: string }>>;
    readonly required: readonly string[];
    readonly additionalProperties: boolean;
  };
  readonly outputSchema?: object;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** Sends messages to `/mcp` as somebody, one in each request. */
export function platformTools(service: Service) {
  let last = 0;
  const rpc = async (actor: Actor, method: string, params: object = {}, query = '') => {
    last += 1;
    const body = { jsonrpc: '2.0', id: last, method, params };
    // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
    return service.call<any>(actor, 'POST', `/mcp${query}`, { body });
  };
  return {
    rpc,
    async list(profile?: string): Promise<readonly Listed[]> {
      const query = profile === undefined ? '' : `?profile=${profile}`;
      const { body } = await rpc(service.actors.nobody, 'tools/list', {}, query);
      return body.result.tools;
    },
    async call(actor: Actor, name: string, args: object = {}, meta?: object): Promise<ToolAnswer> {
      const { body, text } = await rpc(actor, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });
      if (body?.result === undefined) throw new Error(`${name} was answered with ${text}`);
      return body.result;
    },
  };
}
