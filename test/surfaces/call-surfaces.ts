import { randomUUID } from 'node:crypto';
import { createClient, type Method, SvcError } from '../../clients/sdk/src/index.ts';
import type { Surface } from '../../scripts/surfaces.ts';
import { inputOf, rowOf, type Stage, saidBy, toolArgumentsOf } from '../access/surface-inputs.ts';
import type { Actor } from '../helpers/actors.ts';
import { asWire } from '../helpers/as-wire.ts';
import type { Service } from '../helpers/service.ts';
import { platformTools } from '../mcp/mcp-stage.ts';
import { type CommandCaller, codeOf, commandOf, commandRunner, wordsFor } from './command-surface.ts';
import { widen } from './widen.ts';

type Json = Record<string, unknown>;

/** What a door answers: a result in names of the wire, or the code of a refusal. */
export type Told = { readonly answer: unknown } | { readonly refused: string };

/** Calls operations by each of the doors with what the table of documented paths has for them. */
export async function doorsOf(service: Service, stage: Stage) {
  const tools = platformTools(service);
  const commands = await commandRunner(service.url);
  const listed = new Map((await tools.list('all')).map((tool) => [tool.name, tool]));
  const keyOf = ({ idempotencyKey }: Surface) => (idempotencyKey === 'required' ? randomUUID() : undefined);

  return {
    /** Makes what a change needs to find. */
    async prepare(surface: Surface): Promise<void> {
      Object.assign(stage.params, await rowOf(stage, surface).prepare?.());
    },

    /** The document of its field in the graph; undefined where there is none. */
    field: (surface: Surface) => rowOf(stage, surface).field,

    async rest(actor: Actor, surface: Surface): Promise<Told> {
      const { method, path } = surface.path!;
      const { body, search } = rowOf(stage, surface);
      const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => stage.params[name]!) + (search?.() ?? '');
      const key = keyOf(surface);
      const answer = await service.call<Json>(actor, method, filled, {
        body: method === 'GET' ? undefined : (body?.() ?? {}),
        headers: key === undefined ? {} : { 'idempotency-key': key },
      });
      return answer.status < 300 ? { answer: answer.body } : { refused: refusalOf(answer.body, answer.status) };
    },

    async graph(actor: Actor, surface: Surface): Promise<Told> {
      const { data, errors } = await service.graphql(actor, widen(rowOf(stage, surface).field!()));
      return errors === undefined ? { answer: asWire(data) } : { refused: errors[0]!.extensions.code as string };
    },

    async sdk(actor: Actor, surface: Surface): Promise<Told> {
      const client = createClient({ baseUrl: service.url, retry: { times: 0 } });
      const { [surface.method]: method } = (client as unknown as Record<string, Record<string, Method<Json, unknown>>>)[
        surface.namespace
      ]!;
      const key = keyOf(surface);
      const credential = { headers: ({ path }: { readonly path: string }) => actor.headers(path) };
      try {
        return {
          answer: await method!.wire(inputOf(stage, surface), { credential, ...(key && { idempotencyKey: key }) }),
        };
      } catch (error) {
        if (error instanceof SvcError) return { refused: error.code };
        throw error;
      }
    },

    async tool(actor: Actor, surface: Surface): Promise<Told> {
      const { properties } = listed.get(surface.tool!)!.inputSchema;
      const { isError, structuredContent } = await tools.call(actor, surface.tool!, {
        ...toolArgumentsOf(stage, surface.path!, surface.idempotencyKey === 'required'),
        ...('reveal' in properties ? { reveal: true } : {}),
      });
      return isError === true ? { refused: refusalOf(structuredContent, 402) } : { answer: structuredContent };
    },

    /** As `svc` says it. Undefined where no command stands for the operation alone. */
    async command(caller: CommandCaller, surface: Surface): Promise<Told> {
      const { query, body } = saidBy(stage, surface);
      const inPath = [...surface.path!.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, stage.params[name!]]);
      const whole = Object.entries(surface.path!.places).find(([, place]) => place.name === undefined)?.[0];
      const given = {
        ...Object.fromEntries(inPath),
        // What a path ends with is what a command is about.
        id: inPath.at(-1)?.[1],
        ...query,
        ...(whole === undefined ? body : { [whole]: body }),
        ...inputOf(stage, surface),
      };
      const words = wordsFor(commandOf(surface)!, given, furtherFlags[surface.name]);
      try {
        return { answer: await commands.run(words, caller) };
      } catch (error) {
        return { refused: codeOf(error).toUpperCase() };
      }
    },
    stop: commands.stop,
  };
}

/** Where words say what a path says by a value. */
const furtherFlags: Readonly<Record<string, readonly string[]>> = {
  'orgs.setLeasePerpetual': ['--disable'],
  'notices.updateRule': ['--off'],
  'contracts.provisionSigner': ['--yes'],
};

/** A challenge of x402 has no code. */
const refusalOf = (body: { readonly code?: unknown } | undefined, status: number): string =>
  typeof body?.code === 'string' ? body.code.toUpperCase() : status === 402 ? 'PAYMENT_REQUIRED' : String(status);
