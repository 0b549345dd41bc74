import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { DeclaredEndpoint } from '../../kernel/run/domain.ts';
import { observed } from '../../kernel/run/observed.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { type LiveSession, requireSession } from './live-session.ts';
import { userMissing } from './session-over.ts';
import { authenticateProject, type ProjectCaller } from './shared/authenticate-project.ts';

/** What the users of a project do there. It runs with the project's key, and is no operation of the platform. */
export interface Endpoint<Input extends z.ZodObject, Scope, Wire> extends DeclaredEndpoint {
  readonly name: `auth.${string}`;
  readonly input: Input;
  /** Admits the caller, and returns what the handler works on. */
  readonly admit: (ctx: Context, caller: ProjectCaller) => Promise<Scope>;
  /** Whether a request is by the key alone, so that a user's token beside it may have expired. @default never */
  readonly byKeyAlone?: (raw: z.input<Input>) => boolean;
  readonly handler: (ctx: Context & ProjectCaller & Scope, input: z.output<Input>) => Promise<Wire>;
  readonly wire: z.ZodType<Wire>;
}

// biome-ignore lint/suspicious/noExplicitAny: tables and tests hold endpoints of every type.
export type AnyEndpoint = Endpoint<any, any, any>;

/** Declares an endpoint. An identity function: the compiler infers every type at the declaration. */
export const endpoint = <Input extends z.ZodObject, Scope, Wire>(one: Endpoint<Input, Scope, Wire>) => one;

/** Admits every key of the project. */
export const withKey = async () => ({});

/** Admits a user whose session has not ended. */
export const asUser = async (ctx: Context, { target, user }: ProjectCaller): Promise<LiveSession> => {
  if (user === undefined) throw userMissing();
  return requireSession(ctx.services, target, user);
};

/** The holder of the service key. */
export const withServiceKey = async (_ctx: Context, { keyRole }: ProjectCaller) => {
  if (keyRole !== 'service_role') throw new ServiceError('FORBIDDEN', { message: 'This is for the service key.' });
  return {};
};

/**
 * The only road from a path to an endpoint: credentials first, since a stranger may not probe the form of an input
 * try out; then the input.
 *
 * @param open resolves caller and project. @default by a key of the project
 */
export async function runEndpoint<Input extends z.ZodObject, Scope, Wire>(
  { name, input, admit, byKeyAlone, handler }: Endpoint<Input, Scope, Wire>,
  ctx: Context,
  raw: z.input<Input>,
  open: (ctx: Context) => Promise<ProjectCaller> = (ctx) =>
    authenticateProject(ctx, { limited: true, signsIn: true, tokenMayHaveEnded: byKeyAlone?.(raw) ?? false }),
): Promise<Wire> {
  return observed(ctx, { name }, async () => {
    const caller = await open(ctx);
    const scope = await admit(ctx, caller);
    return handler(
      { ...ctx, ...caller, ...scope },
      parseInput({ input }, raw, (field) => field),
    );
  });
}
