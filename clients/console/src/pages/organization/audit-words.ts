import type { Option } from '../../design/field.tsx';
import type { PrincipalLike } from '../../design/principal.tsx';
import type { AuditTrailQuery } from './audit.graphql.ts';

type Trail = NonNullable<NonNullable<AuditTrailQuery['organization']>['auditEvents']>;
export type Entry = Trail['edges'][number]['node'];

/** Kinds of actions, by the beginning of their names. */
export const actionKinds: readonly Option[] = [
  { id: '', name: 'All actions' },
  { id: 'org', name: 'Organization' },
  { id: 'tier', name: 'Tier' },
  { id: 'member', name: 'Members' },
  { id: 'invite', name: 'Invitations' },
  { id: 'project', name: 'Projects' },
  { id: 'project.sql_run', name: 'SQL' },
  { id: 'grant', name: 'Grants' },
  { id: 'delegate', name: 'Delegates' },
  { id: 'room', name: 'Rooms' },
  { id: 'room_invite', name: 'Room keys' },
  { id: 'message', name: 'Messages' },
  { id: 'claim', name: 'Claims' },
  { id: 'escalation', name: 'Escalations' },
  { id: 'escalation_contact', name: 'Escalation contacts' },
  { id: 'event', name: 'Events of applications' },
  { id: 'vault', name: 'Vaults' },
];

/** An action in words: `member.role_changed` is “Member role changed”. */
export function actionName(action: string): string {
  const words = action
    .replace(/^org\b/, 'organization')
    .replaceAll(/[._]/g, ' ')
    .replace(/\bsql\b/, 'SQL');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

/** The fields of an actor of the trail that the console shows. */
interface Actor {
  readonly principal?: { readonly principal_id: string; readonly display_name_at_capture: string | null } | null;
  readonly authenticator?: { readonly public_subject: string } | null;
  readonly authority?: { readonly kind: string; readonly reason_code?: string; readonly delegate_id?: string };
}

/** The principal of an actor, as it was then; undefined for a program of the installation. */
export function principalOf(given: unknown): PrincipalLike | undefined {
  const { principal, authenticator } = (given ?? {}) as Actor;
  const subject = authenticator?.public_subject;
  if (principal == null && subject === undefined) return undefined;
  return {
    principalId: principal?.principal_id ?? subject!,
    displayName: principal?.display_name_at_capture ?? (subject?.startsWith('0x') === false ? subject : null),
    wallet: subject?.startsWith('0x') === true ? subject : null,
  };
}

/** The name of an actor that is no principal. */
export function programName(given: unknown): string {
  const { authority } = (given ?? {}) as Actor;
  return authority?.delegate_id ?? authority?.reason_code?.replaceAll('_', ' ') ?? 'the installation';
}
