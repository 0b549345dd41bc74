import type { z } from 'zod';
import { type Endpoint, runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { type InputSources, inputReader } from '../inputs.ts';
import type { Method } from '../rest-request.ts';
import type { Route } from '../route.ts';

/** Maps a documented path onto an endpoint of a project's users. @param inputs as of a `route` */
export function authRoute<Input extends z.ZodObject, Scope, Wire>(
  method: Method,
  path: string,
  status: number,
  endpoint: Endpoint<Input, Scope, Wire>,
  inputs: InputSources<z.input<Input>> = {},
): Route {
  const { places, sources, read } = inputReader(method, path, endpoint.input, inputs);
  return {
    method,
    path,
    operation: endpoint.name,
    endpoint,
    status,
    places,
    sources,
    run: async (ctx, request) => ({
      status,
      body: await runEndpoint(endpoint, ctx, read(request) as z.input<Input>),
    }),
  };
}
