import type { Cli } from '../cli.ts';
import { Failure } from '../failure.ts';
import { call } from './gateway.ts';

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[];
}

/** Asks the graph what no documented path answers. @throws Failure with the envelope of the first error */
export async function graphql<Data>(cli: Cli, query: string, variables: object): Promise<Data> {
  const { body } = await call<Answer<Data>>(cli, { method: 'POST', path: '/graphql', body: { query, variables } });
  if (body.errors !== undefined || body.data === undefined || body.data === null) throw graphFailure(body.errors);
  return body.data;
}

/** The refusal that a graph's errors tell of. */
export function graphFailure(errors: Answer<unknown>['errors'] = []): Failure {
  const { message = 'The gateway answered nothing.', extensions = {} } = errors[0] ?? {};
  const { code = 'API_ERROR', ...rest } = extensions as { code?: string };
  return new Failure({ status: 'error', code, message, next_actions: [], ...rest });
}
