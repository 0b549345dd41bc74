/** A function's own code: it answers requests. */
export type Handler = (request: Request, context: CallContext) => unknown;

/** Second argument of a handler. */
export interface CallContext {
  readonly requestId: string;
  /** When the answer has to be complete, as milliseconds since 1970. */
  readonly deadline: number;
}

/**
 * The handler of a module: its default export, a function or, as frameworks have it, an object with a method `fetch`; or
 * an export named `handler` or `fetch`.
 */
export function handlerOf(module: Readonly<Record<string, unknown>>): Handler {
  const { default: main, handler, fetch } = module;
  for (const candidate of [main, handler, fetch]) {
    if (isHandler(candidate)) return candidate;
    if (typeof candidate === 'object' && candidate !== null && 'fetch' in candidate && isHandler(candidate.fetch))
      return candidate.fetch.bind(candidate);
  }
  throw new TypeError('The module exports no handler: export default a function from Request to Response.');
}

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

/** What the library of functions throws to have answered something is known by this; they share no module. */
const answerKey = Symbol.for('svc.functions.answer');

/** The answer of a handler, or that of an error of the library which it has not caught. */
export async function answered(handle: () => unknown): Promise<Response> {
  try {
    return responseOf(await handle());
  } catch (error) {
    const answer = typeof error === 'object' && error !== null && answerKey in error ? error[answerKey] : undefined;
    if (typeof answer !== 'function') throw error;
    return responseOf(answer.call(error));
  }
}

/** The answer in what a handler returned. Without any, there is nothing to say. */
function responseOf(returned: unknown): Response {
  if (returned === undefined || returned === null) return new Response(null, { status: 204 });
  if (returned instanceof Response) return returned;
  throw new TypeError('The handler returned no Response.');
}
