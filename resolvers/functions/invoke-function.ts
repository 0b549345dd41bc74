import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { requestIdOf } from '../../core/tracing.ts';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { userOfToken } from '../auth/shared/user-of-token.ts';
import { callDirectly } from './call-function.ts';
import { functionActions } from './shared/actions.ts';
import { ofFunction } from './shared/of-function.ts';

/** Largest body, both ways, in characters: larger ones travel over `/functions/v1/<name>` itself. */
const bodyMax = 1024 * 1024;

/** What a function answered. */
export interface FunctionAnswer {
  /** The function. */
  readonly name: string;
  readonly requestId: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it is no text. */
  readonly text: string | null;
  readonly base64: string | null;
}

/** A call of a function for those who have no key of the project at hand. Contract 03, section 3.2. */
export const invokeFunction = mutation({
  name: 'functions.invoke',
  tool: 'invoke_function',
  command: 'functions invoke',
  duration: 'long',
  effects: ['openWorld'],
  summary: 'Call a function of the live release, and get its answer whatever its status. Its gate is asked.',
  path: 'POST /projects/v1/admin/:project_id/functions/:name/invoke',
  access: onProject(functionActions['project:functions:run'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    name: ofFunction,
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST').describe('POST unless told.'),
    query: z
      .string()
      .max(8_192)
      .regex(/^[!"$-~]*$/, 'must be written as in an address')
      .optional()
      .describe('Its query, for example `limit=5&order=id`.'),
    headers: jsonObject({ kib: 64, depth: 1 })
      .optional()
      .describe(
        'Headers by name. Without `content-type`, a body is JSON where it can be read as such, and text otherwise.',
      ),
    body: z.string().max(bodyMax).optional().describe('Its body: text, such as JSON.'),
    access_token: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .meta({ secret: true })
      .describe('Access token of the user who calls: a gated function answers users alone.'),
  }),
  async prepare(ctx, { name, method, query, headers = {}, body = '', access_token: token }): Promise<FunctionAnswer> {
    const { services, project } = ctx;
    const target = await findProjectTarget(services, project.id);
    const user = token === undefined ? undefined : await userOfToken(services, target, token);
    const requestId = requestIdOf(ctx.request.traceId);
    const path = `/functions/v1/${name}${query === undefined || query === '' ? '' : `?${query}`}`;
    const given = headersOf(headers);
    const isTyped = body === '' || given.some(([one]) => one.toLowerCase() === 'content-type');
    const rawHeaders = [...given, ...(isTyped ? [] : [['content-type', typeOf(body)]])].flat();
    const reply = await callDirectly(
      ctx,
      { target, user, keyRole: 'service_role' },
      { name, path },
      {
        requestId,
        method,
        rawHeaders,
        body: async () => Buffer.from(body),
      },
    );
    if (reply.body.length > bodyMax)
      throw new ServiceError('ROUTED_RESPONSE_TOO_LARGE', {
        message: `The function answered with more than ${bodyMax} bytes: call it at ${path.split('?')[0]}.`,
      });
    return { name, requestId, status: reply.status, headers: joined(reply.headers), ...bodyOf(reply.body) };
  },
  handler: async (_work, _input, answer): Promise<FunctionAnswer> => answer,
  audit: ({ requestId, status }, { name, method }, { project }) => ({
    action: 'function.invoked',
    object: { kind: 'function', id: name },
    details: { project_id: project.id, request_id: requestId, method, status },
  }),
  wire: z.object({
    name: z.string(),
    request_id: z.string().describe('Under which its log has the call, `req_…`.'),
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable().describe('The answer as text; null where it is none.'),
    body_base64: z.string().nullable().describe('The answer where it is no text.'),
  }),
  toWire: ({ name, requestId, status, headers, text, base64 }) => ({
    name,
    request_id: requestId,
    status,
    headers: { ...headers },
    body: text,
    body_base64: base64,
  }),
});

/** @throws VALIDATION_FAILED */
const headersOf = (given: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(given).map(([name, value]) => {
    if (/^[A-Za-z0-9-]{1,100}$/.test(name) && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value))
      return [name, value];
    throw new ServiceError('VALIDATION_FAILED', {
      message: 'headers must have names of headers, and values of one line.',
      details: { field: 'headers' },
    });
  });

function typeOf(body: string): string {
  try {
    JSON.parse(body);
    return 'application/json';
  } catch {
    return 'text/plain; charset=utf-8';
  }
}

/** Values of one header that came several times stand behind each other, as HTTP has them. */
function joined(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = all.get(key);
    all.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(all);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bodyOf(bytes: Buffer): Pick<FunctionAnswer, 'text' | 'base64'> {
  try {
    return { text: utf8.decode(bytes), base64: null };
  } catch {
    return { text: null, base64: bytes.toString('base64') };
  }
}
