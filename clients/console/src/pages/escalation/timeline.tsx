import { Bell, BellOff, CheckCheck, ChevronsUp, CircleCheck, type LucideIcon, Siren } from 'lucide-react';
import type { ReactNode } from 'react';
import { Principal, type PrincipalLike } from '../../design/principal.tsx';
import { When } from '../../design/when.tsx';
import type { EscalationQuery } from './escalation.graphql.ts';

type Found = NonNullable<EscalationQuery['escalation']>;
type Attempt = Found['deliveryAttempts']['edges'][number]['node'];

interface Step {
  readonly key: string;
  readonly at: string;
  readonly icon: LucideIcon;
  readonly mood: 'plain' | 'good' | 'warn' | 'bad' | 'accent';
  readonly text: ReactNode;
  readonly more?: ReactNode;
}

interface TimelineProps {
  readonly found: Found;
  readonly raiser: PrincipalLike;
  /** Whether the notifications are the first of them. */
  readonly isFirstPage: boolean;
}

/** What happened to an escalation, oldest first. */
export function Timeline({ found, raiser, isFirstPage }: TimelineProps) {
  return (
    <ol className="timeline" aria-label="Timeline">
      {stepsOf({ found, raiser, isFirstPage }).map(({ key, at, icon: Icon, mood, text, more }) => (
        <li key={key}>
          <span className={`timeline-mark ${mood}`}>
            <Icon className="icon" aria-hidden="true" />
          </span>
          <div>
            <p>
              {text} <When at={at} />
            </p>
            {more !== undefined && (
              <p className="quiet" dir="auto">
                {more}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

const by = (email: string | null): ReactNode =>
  email === null ? null : (
    <>
      {' '}
      by <bdi>{email}</bdi>
    </>
  );

function stepsOf({ found, raiser, isFirstPage }: TimelineProps): readonly Step[] {
  const steps: Step[] = found.deliveryAttempts.edges.map(({ node }) => attemptStep(node));
  if (!isFirstPage) return steps;
  steps.push({
    key: 'raised',
    at: found.raisedAt,
    icon: Siren,
    mood: 'bad',
    text: <>Raised by {found.presenceName === null ? <Principal who={raiser} /> : <bdi>{found.presenceName}</bdi>}</>,
  });
  for (const { at, fromLevel, toLevel, reason } of found.climbs)
    steps.push({
      key: `climb ${at}`,
      at,
      icon: ChevronsUp,
      mood: 'warn',
      text: `Moved from level ${fromLevel} to level ${toLevel}`,
      more: reason === 'deadline_lapsed' ? 'No contact answered in time.' : reason.replaceAll('_', ' '),
    });
  if (found.acknowledgedAt !== null)
    steps.push({
      key: 'acknowledged',
      at: found.acknowledgedAt,
      icon: CheckCheck,
      mood: 'accent',
      text: <>Acknowledged{by(found.acknowledgedByEmail)}</>,
      ...(found.acknowledgedVia === 'TOKEN' ? { more: 'By the link of a notification.' } : {}),
    });
  if (found.resolvedAt !== null)
    steps.push({
      key: 'resolved',
      at: found.resolvedAt,
      icon: CircleCheck,
      mood: 'good',
      text: <>Resolved{by(found.resolvedByEmail)}</>,
      ...(found.resolvedNote === null ? {} : { more: found.resolvedNote }),
    });
  // Of one moment, an escalation is raised before its notifications are sent.
  return steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at) || rank(one) - rank(other));
}

const rank = ({ key }: Step): number => (key === 'raised' ? 0 : key === 'resolved' ? 2 : 1);

const outcomes: Readonly<Record<Attempt['status'], string>> = {
  DELIVERED: 'was delivered',
  FAILED_PERMANENT: 'failed',
  FAILED_TRANSIENT: 'failed and is tried again',
  SKIPPED_DISABLED: 'was not sent: the channel is off',
};

function attemptStep({ at, email, channel, status, error }: Attempt): Step {
  const delivered = status === 'DELIVERED';
  return {
    key: `${at} ${email} ${channel} ${status}`,
    at,
    icon: delivered ? Bell : BellOff,
    mood: delivered ? 'plain' : status === 'FAILED_PERMANENT' ? 'bad' : 'warn',
    text: (
      <>
        The {channel === 'EMAIL' ? 'mail' : channel.toLowerCase()} to <bdi>{email}</bdi> {outcomes[status]}
      </>
    ),
    ...(error === null ? {} : { more: error }),
  };
}
