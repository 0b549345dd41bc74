import type { NextAction } from '../../core/error-codes.ts';
import { invalidField, ServiceError } from '../../core/errors.ts';
import type { Org, Role } from '../../db/schema/orgs.ts';
import type { Project } from '../../db/schema/projects.ts';
import type { Bound } from '../../db/statement.ts';
import type { Context } from '../run/context.ts';
import {
  type OrgRow,
  orgGrantStatement,
  orgIn,
  orgStatement,
  projectIn,
  projectStatement,
  roomStatement,
} from './access-statements.ts';
import { type Caller, type CredentialKind, isPrincipal, type PrincipalBacked, principalIdOf } from './caller.ts';
import { type Action, type Capability, reaches } from './permissions.ts';

/** By what right a caller was admitted; also what the audit names as the authority. */
export type Authority =
  | { readonly kind: 'membership'; readonly membershipId: string; readonly role: Role }
  | { readonly kind: 'grant'; readonly capabilities: readonly string[] }
  | { readonly kind: 'delegate' }
  | { readonly kind: 'service_key' }
  | { readonly kind: 'anon_key' }
  | { readonly kind: 'admin' }
  /** The installation itself, for a reason that the trail shows. */
  | { readonly kind: 'system'; readonly reason: string };

/** Nothing in particular: the operation names no organization. */
export interface NoScope {
  readonly org?: undefined;
}

/** A principal of its own, outside any organization. */
export interface PrincipalScope extends NoScope {
  readonly principal: PrincipalBacked;
}

export interface OrgScope {
  readonly org: Org;
  readonly authority: Authority;
}

export interface ProjectScope extends OrgScope {
  readonly project: Project;
}

/** The columns that name whose a row of the admitted project is. */
export const ownerOf = ({ org, project }: ProjectScope) => ({ orgId: org.id, projectId: project.id });

export interface RoomScope extends OrgScope {
  readonly room: { readonly key: string /** Whether anybody has used it yet. */; readonly used: boolean };
}

/** Admits callers to an operation, and resolves what the handler works on. A handler never sees an id that was not admitted. */
export interface Access<Input, Scope> {
  readonly action: Action | null;
  /** Set where no action applies: any client, also without a credential; or the platform admin alone. */
  readonly openTo?: 'anyone' | 'admin';
  readonly authorise: (ctx: Context, caller: Caller, input: Input, ahead?: Prefetched) => Promise<Scope>;
  /** The project that an input addresses: a refusal names the platform's faults that are attributed to it. */
  readonly addressed?: (input: Input) => string | undefined;
  /**
   * Asks the database while the credential is still being looked at. What it says counts only for a caller that turns
   * out to be this very principal.
   */
  readonly prefetch?: (ctx: Context, principalId: string, input: Input) => Prefetched | undefined;
  /** The refusal for an invalid credential, where it differs from the usual one. */
  readonly refusalOf?: (refusal: unknown, input: Input) => unknown;
}

/** What was asked for a principal before it was known to be the caller. */
export interface Prefetched {
  readonly principalId: string;
  readonly rows: Promise<object[]>;
}

/** Decides one target with one statement, asked now or ahead. */
function byStatement<Input, Row extends OrgRow>(
  asked: (input: Input, who: { readonly principal: string | null; readonly admitted: boolean }) => Bound<Row>,
) {
  return {
    prefetch(ctx: Context, principalId: string, input: Input): Prefetched {
      const rows = ctx.services.db.rows(asked(input, { principal: principalId, admitted: false }));
      // It is not awaited when the credential does not hold.
      rows.catch(() => undefined);
      return { principalId, rows };
    },
    async look(
      ctx: Context,
      input: Input,
      { principalId, admitted }: Admission,
      ahead: Prefetched | undefined,
    ): Promise<Row | undefined> {
      const [row] =
        ahead !== undefined && admitted === null && ahead.principalId === principalId
          ? ((await ahead.rows) as Row[])
          : await ctx.services.db.rows(asked(input, { principal: principalId, admitted: admitted !== null }));
      return row;
    },
  };
}

/** The same refusal for absent and for foreign: whether a thing exists is itself a secret. Contract 01, section 1.12. */
export function notAuthorized(
  action: Action,
  reason: 'member' | 'grant' | 'forbidden' | 'project_not_found',
  nextActions: readonly NextAction[] = [],
): ServiceError {
  const capability = action.grants === 'any' ? null : (action.grants?.[0] ?? null);
  return new ServiceError('NOT_AUTHORIZED', {
    nextActions,
    details: { action: action.name, required_role: action.role, required_capability: capability, reason },
  });
}

/**
 * Whether a role, if the caller has any, reaches an action: for those who look at a membership themselves.
 *
 * @param absent the refusal for a caller without a role
 * @throws NOT_AUTHORIZED
 */
export function requireRole(
  action: Action,
  role: Role | null,
  absent: 'member' | 'grant' | 'project_not_found' = 'member',
): asserts role is Role {
  if (role === null) throw notAuthorized(action, absent);
  if (!reaches(role, action.role)) throw notAuthorized(action, 'forbidden');
}

/**
 * One row of a loader as the door would show it: the row, or in its place the refusal.
 *
 * @param row with the caller's role in its organization; undefined for an absent one
 */
export function shownTo<Row extends { readonly role: Role | null }>(
  caller: Caller,
  action: Action,
  row: Row | undefined,
): Row | ServiceError {
  if (caller.kind === 'admin' && action.admin !== true) return new ServiceError('FORBIDDEN');
  if (row !== undefined && caller.kind === 'admin') return row;
  const role = row?.role ?? null;
  if (row !== undefined && role !== null && reaches(role, action.role)) return row;
  return notAuthorized(action, role === null ? 'member' : 'forbidden');
}

/** Whether some capability of a grant suffices for an action. */
export function grantSuffices(action: Action, capabilities: readonly string[]): boolean {
  const { grants } = action;
  if (grants === undefined || capabilities.length === 0) return false;
  return grants === 'any' || grants.some((one) => capabilities.includes(one));
}

/** Anybody, with or without a credential. */
export const anyone = <Input>(): Access<Input, NoScope> => ({
  action: null,
  openTo: 'anyone',
  authorise: async () => ({}),
});

/** Any principal that used one of the credentials. */
export const signedIn = <Input>(...accepts: readonly CredentialKind[]): Access<Input, PrincipalScope> => ({
  action: null,
  authorise: async (_ctx, caller) => {
    requireCredential(caller);
    if (!isPrincipal(caller) || !accepts.includes(caller.kind)) {
      throw new ServiceError('AUTH_REQUIRED', {
        message: 'This kind of credential cannot act here.',
        details: { credential: caller.kind, accepted: accepts },
      });
    }
    if (caller.kind === 'delegate' && caller.scope.binding !== undefined) throw beyondCi({ name: 'principal' });
    return { principal: caller };
  },
});

/** The platform admin. */
export const platformAdmin = <Input>(): Access<Input, NoScope> => ({
  action: null,
  openTo: 'admin',
  authorise: async (_ctx, caller) => {
    if (caller.kind === 'admin') return {};
    throw new ServiceError(caller.kind === 'nobody' ? 'AUTH_REQUIRED' : 'ADMIN_REQUIRED');
  },
});

/** What no workflow of CI may do, whatever its binding says. Contract 03, section 9.3. */
export const beyondCi = ({ name }: Pick<Action, 'name'>) =>
  new ServiceError('FORBIDDEN', {
    label: 'insufficient_scope',
    message: 'A session of CI may deploy, and nothing else.',
    details: { action: name },
  });

/** An action on an organization. */
export const onOrg = <Input>(action: Action, target: (input: Input) => string): Access<Input, OrgScope> => {
  const { look, prefetch } = byStatement((input: Input, who) => orgStatement.with({ org: target(input), ...who }));
  return {
    action,
    prefetch,
    authorise: async (ctx, caller, input, ahead) => {
      const orgId = target(input);
      const admission = admit(action, caller, (claim) => claim.orgId === orgId, 'member');
      return orgScope(action, await look(ctx, input, admission, ahead), admission.admitted, 'member');
    },
  };
};

/** An action on a project. */
export const onProject = <Input>(action: Action, target: (input: Input) => string): Access<Input, ProjectScope> => {
  const { look, prefetch } = byStatement((input: Input, who) =>
    projectStatement.with({ project: target(input), ...who }),
  );
  return {
    action,
    prefetch,
    addressed: target,
    authorise: async (ctx, caller, input, ahead) => {
      const projectId = target(input);
      const claims = (claim: CredentialScope) => claim.projectIds.includes(projectId);
      const admission = admit(action, caller, claims, 'project_not_found');
      const row = await look(ctx, input, admission, ahead);
      const { org, authority } = orgScope(action, row, admission.admitted, 'project_not_found');
      return { org, authority, project: projectIn(row!)! };
    },
  };
};

/** What a client says who leaves the project to its credential. */
const unnamedProject = () => invalidField('project', 'must be named: the credential is not for one project alone');

/**
 * An action on the project that is named, or else on the one that the credential is for: a key's own, or the only one of
 * a delegate.
 */
export const onNamedOrOwnProject = <Input extends { readonly project?: string | undefined }>(
  action: Action,
): Access<Input, ProjectScope> => {
  const named = onProject<Input>(action, ({ project }) => project!);
  return {
    ...named,
    addressed: ({ project }) => project,
    prefetch: (ctx, principalId, input) =>
      input.project === undefined ? undefined : named.prefetch!(ctx, principalId, input),
    authorise: (ctx, caller, input, ahead) => {
      if (input.project !== undefined) return named.authorise(ctx, caller, input, ahead);
      requireCredential(caller);
      const own =
        caller.kind === 'project_key'
          ? caller.projectId
          : caller.kind === 'delegate' && caller.projectIds.length === 1
            ? caller.projectIds[0]
            : undefined;
      if (own === undefined) throw unnamedProject();
      return named.authorise(ctx, caller, { ...input, project: own });
    },
  };
};

/** An action on an organization that a grant on any of its projects opens, too, as its named rooms are. */
export const onOrgByGrant = <Input extends { readonly org: string }>(action: Action): Access<Input, OrgScope> => {
  const { look, prefetch } = byStatement(({ org }: Input, who) => orgGrantStatement.with({ org, ...who }));
  return {
    action,
    prefetch,
    authorise: async (ctx, caller, input, ahead) => {
      const admission = admit(action, caller, ({ orgId }) => orgId === input.org, 'member');
      return orgScope(action, await look(ctx, input, admission, ahead), admission.admitted, 'member');
    },
  };
};

/** An action on a room, which is a pair of organization and key. Contract 02, section 2.0. */
export const onRoom = <Input extends { readonly org: string; readonly room: string }>(
  action: Action,
): Access<Input, RoomScope> => {
  const { look, prefetch } = byStatement(({ org, room }: Input, who) => roomStatement.with({ org, room, ...who }));
  return {
    action,
    prefetch,
    addressed: ({ room }) => (room.startsWith('prj_') ? room : undefined),
    authorise: async (ctx, caller, input, ahead) => {
      const ofProject = input.room.startsWith('prj_');
      // A delegate reaches its projects' rooms and the organization's named ones; a service key its own project's only.
      const claims = (claim: CredentialScope) =>
        claim.orgId === input.org && (ofProject ? claim.projectIds.includes(input.room) : claim.namedRooms);
      const admission = admit(action, caller, claims, 'member');
      const row = await look(ctx, input, admission, ahead);
      const { org, authority } = orgScope(action, row, admission.admitted, 'member');
      return { org, authority, room: { key: input.room, used: row!.used } };
    },
  };
};

/** What a delegate token or a service key says about itself. */
interface CredentialScope {
  readonly orgId: string;
  readonly projectIds: readonly string[];
  readonly namedRooms: boolean;
}

/** What the credential itself decides. */
interface Admission {
  readonly principalId: string | null;
  /** Null: by membership or grant, which the database knows. */
  readonly admitted: Authority | null;
}

function requireCredential(caller: Caller): void {
  if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
}

/** The credentials that an action admits, for the holder of one that it does not. The same whatever the target is. */
function admitted({ role, delegate, serviceKey }: Action): readonly NextAction[] {
  const whys = [
    delegate === undefined || delegate === 'any' ? undefined : byDelegate(delegate),
    serviceKey === true ? 'Send the service key of the project in the header apikey.' : undefined,
    role === null
      ? undefined
      : `Act as a member of the organization with the role ${role}${role === 'owner' ? '' : ' or above'}.`,
  ];
  return whys.flatMap((why) => (why === undefined ? [] : [{ type: 'authenticate', why }]));
}

const byDelegate = (capabilities: readonly Capability[]): string =>
  `Use a delegate with ${capabilities.join(' or ')}${
    capabilities.includes('project:write') ? '; `svc delegates create --for agent` makes one with project:write' : ''
  }.`;

/**
 * Decides what the credential itself can decide. A delegate or service key is admitted by what it claims and the
 * database only loads; for a principal the database decides, by membership or grant.
 */
function admit(
  action: Action,
  caller: Caller,
  covers: (claim: CredentialScope) => boolean,
  reason: 'member' | 'project_not_found',
): Admission {
  requireCredential(caller);
  switch (caller.kind) {
    case 'delegate': {
      const { delegate } = action;
      if (caller.scope.binding !== undefined && action.ci !== true) throw beyondCi(action);
      if (delegate === undefined) throw notAuthorized(action, 'forbidden', admitted(action));
      const capable = delegate === 'any' || delegate.some((one) => caller.scope.capabilities.includes(one));
      const claim = { orgId: caller.orgId, projectIds: caller.projectIds, namedRooms: true };
      if (!capable || !covers(claim)) throw notAuthorized(action, capable ? reason : 'grant', admitted(action));
      return { principalId: null, admitted: { kind: 'delegate' } };
    }
    case 'project_key': {
      if (caller.role === 'anon' && action.anonKey !== true) {
        throw new ServiceError('AUTH_REQUIRED', { message: 'An anon key cannot act here.' });
      }
      const claim = { orgId: caller.orgId, projectIds: [caller.projectId], namedRooms: false };
      if ((caller.role !== 'anon' && action.serviceKey !== true) || !covers(claim)) {
        throw new ServiceError('FORBIDDEN', { nextActions: admitted(action) });
      }
      return { principalId: null, admitted: { kind: caller.role === 'anon' ? 'anon_key' : 'service_key' } };
    }
    case 'admin':
      if (action.admin !== true) throw new ServiceError('FORBIDDEN');
      return { principalId: null, admitted: { kind: 'admin' } };
    default:
      return { principalId: principalIdOf(caller), admitted: null };
  }
}

function orgScope(
  action: Action,
  row: OrgRow | undefined,
  admitted: Authority | null,
  reason: 'member' | 'project_not_found',
): OrgScope {
  if (row === undefined) {
    // The platform admin may see everything, so for them an absent thing is simply absent.
    if (admitted?.kind === 'admin') throw new ServiceError('RESOURCE_NOT_FOUND');
    // A key asks for its own project alone, which has gone since the key was looked at.
    if (admitted?.kind === 'service_key' || admitted?.kind === 'anon_key') throw new ServiceError('PROJECT_NOT_FOUND');
    throw notAuthorized(action, reason);
  }
  return { org: orgIn(row)!, authority: admitted ?? authorityOf(action, row) };
}

function authorityOf(action: Action, { role, membershipId, capabilities }: OrgRow): Authority {
  const byRole = role !== null && reaches(role, action.role);
  if (!byRole && grantSuffices(action, capabilities ?? [])) return { kind: 'grant', capabilities: capabilities! };
  requireRole(action, role, 'grant');
  return { kind: 'membership', membershipId: membershipId!, role };
}
