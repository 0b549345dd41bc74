import type { z } from 'zod';
import { type Endpoint, runEndpoint } from '../../resolvers/auth/endpoint.ts';
import { type Method, placesOf, type RestRequest, type Route } from '../route.ts';

/** Maps a documented path onto an endpoint of a project's users. */
export const authRoute = <Input extends z.ZodObject, Scope, Wire>(
  method: Method,
  path: string,
  status: number,
  endpoint: Endpoint<Input, Scope, Wire>,
  toInput: (request: RestRequest) => { readonly [Name in keyof z.input<Input>]?: unknown },
): Route => ({
  method,
  path,
  operation: endpoint.name,
  endpoint,
  status,
  places: placesOf(endpoint.input, toInput),
  run: async (ctx, request) => ({
    status,
    body: await runEndpoint(endpoint, ctx, toInput(request) as z.input<Input>),
  }),
});
