import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
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

/** Schemas as clients read them. */
export const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (to: Ajv2020) => void)(ajv);

/** Sends messages to `/mcp` as somebody, one in each request; whatever a tool answers is held against its schema. */
export function platformTools(service: Service) {
  let last = 0;
  const rpc = async (actor: Actor, method: string, params: object = {}, query = '') => {
    last += 1;
    const body = { jsonrpc: '2.0', id: last, method, params };
    // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
    return service.call<any>(actor, 'POST', `/mcp${query}`, { body });
  };
  const list = async (profile?: string): Promise<readonly Listed[]> => {
    const query = profile === undefined ? '' : `?profile=${profile}`;
    const { body } = await rpc(service.actors.nobody, 'tools/list', {}, query);
    return body.result.tools;
  };
  let known: Promise<ReadonlyMap<string, Listed>> | undefined;
  const compiled = new Map<string, ValidateFunction>();
  const succeeded = new Set<string>();
  /** As official clients do, once they have the list. */
  async function requireForm(name: string, { isError, structuredContent }: ToolAnswer): Promise<void> {
    known ??= list('all').then((tools) => new Map(tools.map((tool) => [tool.name, tool])));
    const { outputSchema } = (await known).get(name) ?? {};
    if (outputSchema === undefined) return;
    const validate = compiled.get(name) ?? ajv.compile(outputSchema);
    compiled.set(name, validate);
    expect([name, validate(structuredContent), validate.errors]).toEqual([name, true, null]);
    if (isError !== true) succeeded.add(name);
  }
  return {
    rpc,
    list,
    /** Tools that have answered with more than a refusal, by way of `call`. */
    succeeded: (): ReadonlySet<string> => succeeded,
    async call(actor: Actor, name: string, args: object = {}, meta?: object): Promise<ToolAnswer> {
      const { body, text } = await rpc(actor, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });
      if (body?.result === undefined) throw new Error(`${name} was answered with ${text}`);
      const { name: inner } = args as { readonly name?: unknown };
      await requireForm(name === 'call_tool' && typeof inner === 'string' ? inner : name, body.result);
      return body.result;
    },
  };
}
