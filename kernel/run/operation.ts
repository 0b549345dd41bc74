import type { z } from 'zod';
import type { ErrorRow } from '../../core/error-codes.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Access, OrgScope, ProjectScope } from '../access/access.ts';
import type { Action } from '../access/permissions.ts';
import type { Work } from '../durability/unit-of-work.ts';
import type { EventType } from '../feeds/event-types.ts';
import type { Budget } from '../limits/budgets.ts';
import type { Context } from './context.ts';
import type { PriceFacet } from './price.ts';

/** What the audit says of a change. */
export interface AuditEntry {
  /** For example `project.created`. */
  readonly action: string;
  readonly object: { readonly kind: string; readonly id: string };
  /** The organization whose trail it belongs to; by default the authorised one. */
  readonly orgId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Actions that a person's session may take only with an approval of exactly that action. Contract 01, section 1.10. */
export interface WriteApproval<Input> {
  readonly action:
    | 'org.project.create'
    | 'project.deploy'
    | 'project.secret.write'
    | 'project.snapshots.manage'
    | 'project.branches.manage'
    | 'project.archives.export';
  readonly field: 'org_id' | 'project_id';
  /** @param scope what the caller was admitted to; undefined for one that was not */
  readonly target: (input: Input, scope: Partial<ProjectScope> | undefined) => string | undefined;
}

/** Kinds of change that a person's session may make only with a fresh passkey. Contract 01, section 1.11. */
export type StepUpClass =
  | 'org.create'
  | 'org.rename'
  | 'org.membership'
  | 'org.invite'
  | 'org.contacts'
  | 'org.adopt'
  | 'authenticator.register'
  | 'authenticator.remove'
  | 'recovery.issue'
  | 'cli.authorize'
  | 'operator.contact'
  | 'channel.route'
  | 'project.delete'
  | 'project.keys'
  | 'project.contents'
  | 'project.grants'
  | 'project.transfer';

/**
 * `destructive`: something may be lost, also by what is put in its place. `idempotent`: a second call, word for word,
 * changes nothing more. `openWorld`: it reaches out, to sites, to chains or to people. `changes`: a query that would make
 * something, if it did not always refuse.
 */
export type Effect = 'destructive' | 'idempotent' | 'openWorld' | 'changes';

/** What a domain declares beside its operations, by name. */
export interface Declarations {
  /** Codes of its refusals. */
  readonly errors?: Readonly<Record<string, ErrorRow>>;
  /** Rights, by role and kind of credential. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Types of its events. */
  readonly events?: Readonly<Record<string, Pick<EventType, 'name' | 'class' | 'level'>>>;
}

interface Declared<Input extends z.ZodObject, Scope, Output, Wire> {
  /** Dotted and stable, for example `rooms.sendMessage`. Each surface derives its own spelling. */
  readonly name: `${string}.${string}`;
  /** As a tool of a model, for example `send_room_message`; undefined where it is none. Contract 04, section 4.4. */
  readonly tool?: string;
  /** As words of the command `svc`, for example `messages send`; undefined where it is none. Contract 04, section 4.2. */
  readonly command?: string;
  /** Its method in the SDK. @default what the name says after its dot */
  readonly sdk?: string;
  /** Subscriptions that the operation begins, the narrower first. @default none */
  readonly follows?: readonly string[];
  /** What a client has to know of a call besides its kind. @default nothing is lost, again is done again, here */
  readonly effects?: readonly Effect[];
  /** `steps`: takes seconds and tells how far it has come; `long`: takes seconds. @default neither */
  readonly duration?: 'steps' | 'long';
  /** Has an input `wait`: seconds for which it waits for something to come. @default false */
  readonly waits?: true;
  /** One sentence, shown wherever the operation is offered. */
  readonly summary: string;
  /**
   * Its path of REST, with the status of success where that is not 200: `POST /projects/v1 201`. A path whose status is
   * told by the outcome, or whose inputs have other places, is declared in `rest-compat`.
   * @default the paths in `rest-compat`
   */
  readonly path?: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** What it alone needs of its domain, which takes it over. @default nothing */
  readonly own?: Declarations;
  readonly access: Access<z.output<Input>, Scope>;
  readonly input: Input;
  /** The code that an input is refused with which its schema does not take. @default VALIDATION_FAILED */
  readonly invalidCode?: ErrorCode;
  /** What every run takes one from, of what a client may have; the platform admin is not counted. @default nothing */
  readonly budget?: (input: z.output<Input>) => Budget | undefined;
  /** The documented JSON of a result, for REST and what is made from it; GraphQL selects from `Output` instead. */
  readonly wire: z.ZodType<Wire>;
  readonly toWire: (result: Output, ctx: Context) => Wire | Promise<Wire>;
}

/** Reads; changes nothing. */
export interface Query<Input extends z.ZodObject, Scope, Output, Wire> extends Declared<Input, Scope, Output, Wire> {
  readonly kind: 'query';
  /**
   * For what lets its holder act: not given to sessions that only read, and to a person's only with a fresh passkey, as
   * if it were a change of this kind.
   */
  readonly reveals?: StepUpClass;
  readonly handler: (ctx: Context & Scope, input: z.output<Input>) => Promise<Output>;
}

interface Changes<Input extends z.ZodObject, Output> {
  readonly kind: 'mutation';
  readonly stepUp?: StepUpClass;
  /** An operator session may do it, too: it concerns that session itself. */
  readonly forReaders?: true;
  readonly writeApproval?: WriteApproval<z.output<Input>>;
  /**
   * `gated` refuses it while the organization is frozen or dormant. Feeds, rooms and escalations never are. `owned` is gated,
   * and refused too while the project is offered to somebody else: it changes what is handed over with it.
   */
  readonly lifecycle?: 'gated' | 'owned';
  /**
   * Its answer lets any holder act, such as a cookie, a token or a key, or it is about the very session that
   * asks. Its outcome is given again to that credential alone: under the same idempotency key another session of the
   * person has sent another request. A caller without a credential is recognised by the secret that it sends; without
   * one, no key counts.
   */
  readonly credentialBound?: true;
  /**
   * `required` refuses a request without a key; every mutation honours one. Contract 01, section 1.15. `own`: the key is an
   * input, and what the operation makes is found by it again for as long as that is there.
   */
  readonly idempotency?: 'required' | 'own';
  /** The code that a key is refused with which another request has used. @default IDEMPOTENCY_KEY_REUSED */
  readonly reusedKeyCode?: ErrorCode;
  /**
   * Fills into a stored outcome what was not known when it was stored: the positions of feed rows, which are written
   * after it so that their feeds are locked for a moment only. Runs when the outcome is given again.
   */
  readonly complete?: (ctx: Context, stored: Output) => Promise<Output>;
}

/** A change that one transaction holds. */
export interface Mutation<Input extends z.ZodObject, Scope, Output, Wire, Prepared = undefined>
  extends Declared<Input, Scope, Output, Wire>,
    Changes<Input, Output> {
  /** What the trail says; undefined when nothing was changed, as by a repeated send. */
  readonly audit: (output: Output, input: z.output<Input>, scope: Scope) => AuditEntry | undefined;
  /**
   * Work that no transaction should wait for, such as a visit to another server: done once, before the transaction
   * begins, and not again when that collides. Changes nothing; what it throws is the operation's refusal.
   */
  readonly prepare?: (ctx: Context & Scope, input: z.output<Input>) => Promise<Prepared>;
  /** @param prepared what {@link prepare} made */
  readonly handler: (work: Work & Scope, input: z.output<Input>, prepared: Prepared) => Promise<Output>;
  /** What has to be paid on chain first: see `docs/payments.md`. */
  readonly price?: PriceFacet<z.output<Input>, Scope, Output>;
}

/** What a step operation works on, as JSON. */
export type StepRef = Readonly<Record<string, string>>;

/**
 * A change that no transaction can hold. `begin` writes what is wanted, `effect` brings it about outside and may be
 * repeated, `settle` marks it done and yields the outcome, `undo` takes back what `effect` made. Whatever stops
 * between is finished or undone by the reaper. What has no `undo`, such as a deletion, is only ever finished: its
 * effect is tried again, with growing pauses, for as long as it takes.
 */
export interface StepMutation<Input extends z.ZodObject, Scope, Output, Wire, Prepared = undefined>
  extends Declared<Input, Scope, Output, Wire>,
    Changes<Input, Output> {
  readonly steps: {
    /** As a mutation's {@link Mutation.prepare}: what the transaction of `begin` should not wait for. */
    readonly prepare?: (ctx: Context & Scope, input: z.output<Input>) => Promise<Prepared>;
    /** @param prepared what `prepare` made */
    readonly begin: (
      work: Work & Scope,
      input: z.output<Input>,
      prepared: Prepared,
    ) => Promise<{
      readonly ref: StepRef;
      readonly orgId: string;
      readonly audit: AuditEntry;
      /** By what right it was begun, when that became known on the way. */
      readonly scope?: OrgScope;
    }>;
    readonly effect: (ctx: Pick<Context, 'services'>, ref: StepRef) => Promise<void>;
    readonly settle: (work: Work, ref: StepRef) => Promise<Output>;
    readonly undo?: (ctx: Pick<Context, 'services'>, ref: StepRef) => Promise<void>;
  };
}

/**
 * A change inside a project's own database, which commits by itself and may take its time: it holds no connection of
 * the platform's meanwhile. The audit entry is written before it is tried, so nothing is done without one. What `check`
 * refuses leaves none.
 */
export interface ProjectMutation<Input extends z.ZodObject, Scope, Output, Wire>
  extends Declared<Input, Scope, Output, Wire>,
    Changes<Input, Output> {
  /** Refuses what can be known to fail before it is tried. The handler asks again: this may have changed meanwhile. */
  readonly check?: (ctx: Context & Scope, input: z.output<Input>) => Promise<void>;
  readonly attempt: (input: z.output<Input>, scope: Scope) => AuditEntry;
  readonly handler: (ctx: Context & Scope & ProjectRun, input: z.output<Input>) => Promise<Output>;
}

/** What tells one run of a change inside a project's database from another. */
export interface ProjectRun {
  /**
   * The same for every try under an idempotency key, also on another node: what writes it in the transaction of the
   * change finds it there when it was committed before. Undefined without a key.
   */
  readonly runId: string | undefined;
}

export type Operation<Input extends z.ZodObject, Scope, Output, Wire> =
  | Query<Input, Scope, Output, Wire>
  // biome-ignore lint/suspicious/noExplicitAny: what a change prepares is between its own two functions.
  | Mutation<Input, Scope, Output, Wire, any>
  | ProjectMutation<Input, Scope, Output, Wire>
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  | StepMutation<Input, Scope, Output, Wire, any>;

/** What an operation is called on the surfaces. */
export type OperationNames = Pick<
  Query<z.ZodObject, object, unknown, unknown>,
  'name' | 'tool' | 'command' | 'sdk' | 'effects' | 'summary' | 'path'
>;

// biome-ignore lint/suspicious/noExplicitAny: registries and tests walk operations of every type.
export type AnyOperation = Operation<any, any, any, any>;

/** Changes of every type, for what treats them alike. */
export type AnyMutation = Extract<AnyOperation, { audit: unknown }>;
export type AnyProjectMutation = Extract<AnyOperation, { attempt: unknown }>;
export type AnyStepMutation = Extract<AnyOperation, { steps: unknown }>;

/** Declares a read. An identity function, as its siblings: the compiler infers every type at the declaration. */
export const query = <Input extends z.ZodObject, Scope, Output, Wire>(
  op: Omit<Query<Input, Scope, Output, Wire>, 'kind'>,
) => ({ kind: 'query', ...op }) as Query<Input, Scope, Output, Wire>;

/** Declares a change that one transaction holds. */
export const mutation = <Input extends z.ZodObject, Scope, Output, Wire, Prepared = undefined>(
  op: Omit<Mutation<Input, Scope, Output, Wire, Prepared>, 'kind'>,
) => ({ kind: 'mutation', ...op }) as Mutation<Input, Scope, Output, Wire, Prepared>;

/** Declares a change inside a project's own database. */
export const projectMutation = <Input extends z.ZodObject, Scope, Output, Wire>(
  op: Omit<ProjectMutation<Input, Scope, Output, Wire>, 'kind'>,
) => ({ kind: 'mutation', ...op }) as ProjectMutation<Input, Scope, Output, Wire>;

/** Declares a change that no transaction can hold, in steps that may each be repeated. */
export const stepMutation = <Input extends z.ZodObject, Scope, Output, Wire, Prepared = undefined>(
  op: Omit<StepMutation<Input, Scope, Output, Wire, Prepared>, 'kind'>,
) => ({ kind: 'mutation', ...op }) as StepMutation<Input, Scope, Output, Wire, Prepared>;

/** Scopes that belong to an organization say so to the limits and the audit. */
export const orgOf = (scope: unknown): OrgScope['org'] | undefined => (scope as Partial<OrgScope>).org;

/** The project that an operation works on, where it works on one. */
export const projectOf = (scope: unknown): string | undefined => (scope as Partial<ProjectScope>).project?.id;
