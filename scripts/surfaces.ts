import type { AnyOperation } from '../kernel/run/operation.ts';
import { operations, signInFlows } from '../resolvers/index.ts';
import { authRoutes } from '../rest-compat/auth/routes.ts';
import type { Place } from '../rest-compat/inputs.ts';
import type { Method } from '../rest-compat/rest-request.ts';
import type { Route } from '../rest-compat/route.ts';
import { routes } from '../rest-compat/routes.ts';
import { signInRoutes } from '../rest-compat/sessions/routes.ts';
import { type PlainSchema, plainSchema } from './surfaces/plain-schema.ts';

/** A documented path, as a client has to call it. */
export interface SurfacePath {
  readonly method: Method;
  /** For example `/orgs/v1/:org_id`. */
  readonly path: string;
  /** The documented status of success. */
  readonly status: number;
  /** Where each input of the operation is; names are those of the wire. */
  readonly places: Readonly<Record<string, Place>>;
  /** Whether the answer is bytes, not JSON. */
  readonly answersBytes: boolean;
}

/** An operation as everything that is printed from it sees it. */
export interface Surface {
  /** For example `rooms.sendMessage`. */
  readonly name: string;
  /** Where the SDK has it: `rooms`, which has the method `sendMessage`. */
  readonly namespace: string;
  readonly method: string;
  readonly kind: 'query' | 'mutation';
  /** One sentence. */
  readonly summary: string;
  /** Its tool of a model; undefined where it is none. */
  readonly tool: string | undefined;
  /** Its words of `svc`; undefined where it is none. */
  readonly command: string | undefined;
  /** The path that clients call; undefined where it has none. */
  readonly path: SurfacePath | undefined;
  /** Subscriptions of the graph that it begins, the narrower first. */
  readonly follows: readonly string[];
  /** What it is given, with names of the wire. */
  readonly input: PlainSchema;
  /** What it answers over REST. */
  readonly answer: PlainSchema;
  /** Whether a request may carry an `Idempotency-Key`, or has to. */
  readonly idempotencyKey: 'none' | 'taken' | 'required';
  /** Whether it may answer 402 and be paid for by x402. */
  readonly priced: boolean;
}

/** The first path that says where its inputs stand; a change is asked for by none that is fetched. */
function pathOf({ name, kind }: AnyOperation): SurfacePath | undefined {
  const own = routes.filter(
    (route): route is Route & Required<Pick<Route, 'places'>> => route.operation === name && route.places !== undefined,
  );
  const route = own.find(({ method }) => kind === 'query' || method !== 'GET') ?? own[0];
  if (route === undefined) return undefined;
  const { method, path, status, places, answersBytes = false } = route;
  return { method, path, status, places: places, answersBytes };
}

function keyOf(op: AnyOperation): Surface['idempotencyKey'] {
  if (op.kind === 'query') return 'none';
  // What anybody may buy goes by its payment.
  if ('price' in op && op.price?.family === 'gateway') return 'none';
  // An input says it, or else the header does.
  if (op.idempotency === 'own') return 'idempotency_key' in op.input.shape ? 'none' : 'required';
  return op.idempotency ?? 'taken';
}

/** Everything that is printed from the operations is printed from this, in the order of their names. */
export function surfaces(): readonly Surface[] {
  return operations
    .map((op) => {
      const [namespace, own] = op.name.split('.') as [string, string];
      const { tool, command, sdk: method = own, follows = [] } = op;
      return {
        name: op.name,
        namespace,
        method,
        kind: op.kind,
        summary: op.summary,
        tool,
        command,
        path: pathOf(op),
        follows,
        input: plainSchema(op.input, 'input'),
        answer: plainSchema(op.wire, 'output'),
        idempotencyKey: keyOf(op),
        priced: 'price' in op && op.price !== undefined,
      };
    })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** What is reached over REST alone, under a name of the SDK's. */
function restOnly(
  { name, summary, input, wire }: Pick<AnyOperation, 'name' | 'summary' | 'input' | 'wire'>,
  { method, path, status, places }: Route & Required<Pick<Route, 'places'>>,
  own: Pick<Surface, 'namespace' | 'method' | 'kind'>,
): Surface {
  return {
    name,
    ...own,
    summary,
    tool: undefined,
    command: undefined,
    path: { method, path, status, places: places, answersBytes: false },
    follows: [],
    input: plainSchema(input, 'input'),
    answer: plainSchema(wire, 'output'),
    idempotencyKey: 'none',
    priced: false,
  };
}

const isClients = (route: Route): route is Route & Required<Pick<Route, 'places'>> => route.places !== undefined;

/** Further spellings of a path come behind the documented one. */
const isFirst = ({ operation }: Route, at: number, all: readonly Route[]) =>
  all.findIndex((other) => other.operation === operation) === at;

/** What users of a project do, which is no operation of the platform, in the order of its documented paths. */
export const userSurfaces = (): readonly Surface[] =>
  authRoutes
    .filter(isClients)
    .filter(isFirst)
    .flatMap((route) => {
      if (route.endpoint === undefined) return [];
      const [namespace, method] = route.endpoint.name.split('.') as [string, string];
      const kind = route.method === 'GET' ? 'query' : 'mutation';
      return [restOnly(route.endpoint, route, { namespace, method, kind })];
    });

/** By what people's sessions come about, are proven and end, all in one namespace: `session.get` is `sessions.sessionGet`. */
export const signInSurfaces = (): readonly Surface[] =>
  signInRoutes
    .filter(isClients)
    .filter(isFirst)
    .flatMap((route) => {
      const op = signInFlows.find(({ name }) => name === route.operation);
      const method = route.operation.replace(/\.(.)/, (_dot, letter: string) => letter.toUpperCase());
      return op === undefined ? [] : [restOnly(op, route, { namespace: 'sessions', method, kind: op.kind })];
    });
