import {
  Archive,
  ArchiveRestore,
  Bug,
  CircleDollarSign,
  Clock,
  type LucideIcon,
  MailWarning,
  MessageSquare,
  Rocket,
  ShieldAlert,
  ShieldCheck,
  Siren,
  Snowflake,
  TriangleAlert,
  Zap,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { plainText } from '../../design/plain-text.ts';
import { Link } from '../../router.tsx';
import type { EventLineFragment } from './events.graphql.ts';

/** The payload of an event. An application may send any JSON, so each value is read as what it should be. */
class Payload {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#values[name];
    return value === null || value === undefined ? '' : String(value);
  }

  count(name: string): number {
    return Number(this.#values[name] ?? 0);
  }

  list(name: string): readonly Readonly<Record<string, unknown>>[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value : [];
  }
}

interface Told {
  readonly payload: Payload;
  readonly org: string;
  readonly project: string | null;
  /** The name of the room of a project, where the project is known. */
  readonly room: string | undefined;
}

interface Kind {
  readonly icon: LucideIcon;
  readonly sentence: (told: Told) => ReactNode;
}

const plural = (count: number, one: string, many: string) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

const roomOf = ({ payload, org, room }: Told, message?: string) => {
  const key = payload.text('room_key');
  const search = message === undefined ? '' : `?message=${encodeURIComponent(message)}`;
  return <Link to={`/orgs/${org}/rooms/${encodeURIComponent(key)}${search}`}>{room ?? key}</Link>;
};

const paid: Readonly<Record<string, string>> = {
  topup: 'the balance',
  tier: 'the tier',
  email_pack: 'a pack of mails',
  room_seat: 'a seat in a room',
};

/** A sentence for each type of the platform. */
const kinds: Readonly<Record<string, Kind>> = {
  agent_message_sent: {
    icon: MessageSquare,
    sentence: (told) => (
      <>
        <b>{told.payload.text('sender')}</b> wrote in {roomOf(told, told.payload.text('message_id'))}:{' '}
        <span className="quiet" dir="auto">
          {plainText(told.payload.text('body_snippet'))}
          {told.payload.text('body_truncated') === 'true' && '…'}
        </span>
      </>
    ),
  },
  room_archived: { icon: Archive, sentence: (told) => <>The room {roomOf(told)} was archived.</> },
  room_unarchived: { icon: ArchiveRestore, sentence: (told) => <>The room {roomOf(told)} was unarchived.</> },
  error_fingerprints_observed: {
    icon: Bug,
    sentence: ({ payload, project }) => {
      const [first] = payload.list('fingerprints');
      const release = payload.text('release_id');
      const count = plural(payload.count('new_fingerprints'), 'new error', 'new errors');
      return (
        <>
          Release <ReleaseId id={release} /> has{' '}
          {project === null ? (
            count
          ) : (
            <Link to={`/projects/${project}/errors?newIn=${encodeURIComponent(release)}`}>{count}</Link>
          )}
          {first !== undefined && (
            <>
              :{' '}
              <span className="quiet" dir="auto">
                {String(first.error_name)}: {String(first.message_template)}
              </span>
            </>
          )}
        </>
      );
    },
  },
  deploy_activated: {
    icon: Rocket,
    sentence: ({ payload }) => (
      <>
        Release <ReleaseId id={payload.text('release_id')} /> was activated.
      </>
    ),
  },
  mailbox_suspended: {
    icon: MailWarning,
    sentence: ({ payload }) => (
      <>
        The mailbox <b>{payload.text('address')}</b> was suspended: {payload.text('reason').replaceAll('_', ' ')}.
      </>
    ),
  },
  project_transfer_completed: { icon: Rocket, sentence: () => 'The project moved to another organization.' },
  webhook_disabled: {
    icon: TriangleAlert,
    sentence: ({ payload }) =>
      `The operator webhook was disabled after ${plural(payload.count('consecutive_failures'), 'failure', 'failures')}.`,
  },
  channel_route_auto_paused: {
    icon: TriangleAlert,
    sentence: ({ payload }) => (
      <>
        The route <b>{payload.text('route_name')}</b> was paused after{' '}
        {plural(payload.count('consecutive_hard_failures'), 'failed delivery', 'failed deliveries')}.
      </>
    ),
  },
  platform_incident: {
    icon: Siren,
    sentence: ({ payload }) => (
      <>
        {payload.text('status') === 'resolved' ? 'Resolved' : 'Ongoing'} {payload.text('severity')} incident of{' '}
        <b>{payload.text('subsystem')}</b>: <span className="quiet">{payload.text('summary')}</span>
      </>
    ),
  },
  verification_failed: {
    icon: ShieldAlert,
    sentence: ({ payload }) =>
      `The verification of the ${payload.text('subject') === 'domain' ? 'domain' : 'contact’s mail address'} failed: ${payload.text('reason').replaceAll('_', ' ')}. ${plural(payload.count('remaining_attempts'), 'attempt remains', 'attempts remain')}.`,
  },
  org_recovery_posture_degraded: {
    icon: ShieldAlert,
    sentence: () => 'The organization can be recovered by fewer means than before.',
  },
  org_recovery_posture_recovered: {
    icon: ShieldCheck,
    sentence: () => 'The organization can be recovered again.',
  },
  platform_payment_received: {
    icon: CircleDollarSign,
    sentence: ({ payload }) => (
      <>
        A payment of <b>{dollars(payload.count('amount_usd_micros'))}</b> for{' '}
        {paid[payload.text('kind')] ?? 'the platform'} was received.
      </>
    ),
  },
  project_past_due: { icon: Clock, sentence: () => 'The project is past due. Renew the tier of its organization.' },
  organization_past_due: { icon: Clock, sentence: () => 'The organization is past due. Renew its tier.' },
  organization_frozen: { icon: Snowflake, sentence: () => 'The organization was frozen. Renew its tier.' },
  organization_dormant: { icon: Snowflake, sentence: () => 'The organization is dormant. Renew its tier.' },
  organization_purge_scheduled: {
    icon: TriangleAlert,
    sentence: () => 'The organization will be deleted. Renew its tier to keep it.',
  },
};

const dollars = (micros: number) =>
  (micros / 1_000_000).toLocaleString(undefined, { style: 'currency', currency: 'USD' });

/** A release by the beginning of its id: the whole of it leaves no room for what happened. */
const ReleaseId = ({ id }: { readonly id: string }) => <b title={id}>{id.length > 16 ? `${id.slice(0, 14)}…` : id}</b>;

/** The room that an event of a room names. */
export const roomKeyOf = ({ payload }: EventLineFragment): string =>
  new Payload(payload as Readonly<Record<string, unknown>>).text('room_key');

/** Types of the platform, for the filter. */
export const knownTypes: readonly string[] = Object.keys(kinds).sort();

/** The icon of a type of event. */
export const iconOf = (type: string): LucideIcon => kinds[type]?.icon ?? Zap;

/** The values of an application's event, shortened. */
function preview(payload: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(payload).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const text = values.join(', ');
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

interface SentenceProps {
  readonly org: string;
  readonly event: EventLineFragment;
  /** The name of the room that it names, where that is the room of a known project. */
  readonly room: string | undefined;
}

/** Says what happened. An event of an application has its name and the beginning of its payload. */
export function Sentence({ org, event, room }: SentenceProps): ReactNode {
  const { type, source, projectId } = event;
  const payload = event.payload as Readonly<Record<string, unknown>>;
  const kind = source === 'PLATFORM' ? kinds[type] : undefined;
  if (kind !== undefined) return kind.sentence({ payload: new Payload(payload), org, project: projectId, room });
  return (
    <>
      <strong>{type}</strong> <span className="quiet">{preview(payload)}</span>
    </>
  );
}
