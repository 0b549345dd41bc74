import { z } from 'zod';
import { checkUsage, type NextAction, renewTier } from '../../core/error-codes.ts';
import type { KeptDays } from '../../db/partitioned/events.ts';
import { incidentSeverities, incidentSubsystems } from '../../db/schema/incidents.ts';

/** For how many days events of each class are kept. Contract 02, section 1.4. */
export const keptDays = {
  lifecycle: 90,
  coordination: 90,
  billing: 90,
  app: 90,
  security: 365,
  recovery: 365,
  billing_critical: 365,
  destructive_lifecycle: 90,
  verification: 90,
  platform_incident: 90,
} as const satisfies Readonly<Record<string, KeptDays>>;

/** How an event is treated: how long it is kept, and whom it may be routed to. */
export type EventClass = keyof typeof keptDays;

/** What an event is about: a project, the organization as a whole, or either. */
type EventLevel = 'project' | 'org' | 'any';

export interface CatalogueEntry<Payload extends z.ZodObject> {
  readonly class: EventClass;
  readonly level: EventLevel;
  /** Ids and verdict fields: an event points at what it is about. */
  readonly payload: Payload;
  /** Where to look next. */
  readonly nextActions: (event: TypedEvent<z.output<Payload>>) => readonly NextAction[];
}

interface TypedEvent<Payload> {
  readonly orgId: string;
  readonly projectId: string | null;
  readonly payload: Payload;
}

/** An identity function: the compiler infers the payload that the next actions are made of. */
const told = <Payload extends z.ZodObject>(
  eventClass: EventClass,
  level: EventLevel,
  payload: Payload,
  nextActions: CatalogueEntry<Payload>['nextActions'] = () => [],
): CatalogueEntry<Payload> => ({ class: eventClass, level, payload, nextActions });

const moment = z.iso.datetime();
const count = z.int().min(0);

const posture = z.object({
  control_plane_configured: z.boolean(),
  source_backup_configured: z.boolean(),
  custody_legacy_present: z.boolean(),
});

const standing = z.object({
  organization_lifecycle_state: z.string(),
  previous_state: z.string(),
  effective_at: moment,
});

const renew = () => [renewTier(':tier')];

/** Every type of event that the platform tells of, those of what is yet to come too. Contract 02, section 1.5. */
export const eventCatalogue = {
  deploy_activated: told(
    'lifecycle',
    'project',
    z.object({
      release_id: z.string(),
      operation_id: z.string(),
      previous_release_id: z.string().nullable().optional(),
      activated_by: z.string().nullable().optional(),
    }),
    ({ payload }) => [{ type: 'check_release', method: 'GET', path: `/apply/v1/operations/${payload.operation_id}` }],
  ),
  agent_message_sent: told(
    'coordination',
    'any',
    z.object({
      room_key: z.string(),
      message_id: z.string(),
      sender: z.string(),
      importance: z.enum(['normal', 'high']),
      thread_id: z.string().nullable(),
      recipients: z.array(z.string()),
      body_snippet: z.string(),
      body_truncated: z.boolean(),
    }),
    ({ orgId, payload }) => [
      {
        type: 'read_message',
        method: 'GET',
        path: `/orgs/v1/${orgId}/rooms/${encodeURIComponent(payload.room_key)}/messages/${payload.message_id}`,
      },
    ],
  ),
  platform_incident: told(
    'platform_incident',
    'any',
    z.object({
      incident_id: z.string(),
      subsystem: z.enum(incidentSubsystems),
      severity: z.enum(incidentSeverities),
      scope: z.enum(['global', 'projects']),
      status: z.enum(['ongoing', 'resolved']),
      started_at: moment,
      resolved_at: moment.nullable(),
      summary: z.string(),
      /** Invocations of the project that the platform made fail; null for a declared impact. */
      impact: z.object({ count: count.nullable() }),
    }),
    ({ orgId, projectId }) => [
      {
        type: 'poll',
        method: 'GET',
        path: `${projectId === null ? `/orgs/v1/${orgId}` : `/projects/v1/${projectId}`}/events?event_type=platform_incident`,
      },
      {
        ...checkUsage,
        ...(projectId === null ? {} : { command: `svc errors --project ${projectId}` }),
        why: 'See what failed meanwhile.',
      },
    ],
  ),
  error_fingerprints_observed: told(
    'lifecycle',
    'project',
    z.object({
      release_id: z.string(),
      new_fingerprints: count,
      fingerprints: z
        .array(
          z.object({
            fingerprint_id: z.string(),
            function: z.string(),
            kind: z.string(),
            error_name: z.string(),
            message_template: z.string(),
          }),
        )
        .max(10),
      first_seen: z.string(),
    }),
    ({ projectId, payload }) => [
      { type: 'check_errors', command: `svc errors --project ${projectId} --new-in ${payload.release_id}` },
    ],
  ),
  org_recovery_posture_degraded: told('recovery', 'org', posture, ({ orgId }) => [
    {
      type: 'invite_owner',
      method: 'POST',
      path: `/orgs/v1/${orgId}/invites`,
      why: 'Another owner can act when the first one has lost access.',
    },
  ]),
  org_recovery_posture_recovered: told('recovery', 'org', posture),
  platform_payment_received: told(
    'billing',
    'org',
    z.object({
      kind: z.enum(['topup', 'tier', 'email_pack', 'room_seat']),
      amount_usd_micros: count,
      rail: z.string(),
      receipt_id: z.string(),
    }),
  ),
  mailbox_suspended: told(
    'security',
    'project',
    z.object({
      mailbox_id: z.string(),
      address: z.string(),
      reason: z.enum(['complaint', 'hard_bounces', 'operator']),
    }),
    ({ payload }) => [{ type: 'check_mailbox', method: 'GET', path: `/mailboxes/v1/${payload.mailbox_id}` }],
  ),
  project_transfer_completed: told(
    'destructive_lifecycle',
    'project',
    z.object({ transfer_id: z.string(), from_org_id: z.string(), to_org_id: z.string() }),
  ),
  project_past_due: told(
    'billing_critical',
    'project',
    z.object({ organization_lifecycle_state: z.string(), lease_expires_at: moment }),
    renew,
  ),
  organization_past_due: told('billing_critical', 'org', standing, renew),
  organization_frozen: told('billing_critical', 'org', standing, renew),
  organization_dormant: told('billing_critical', 'org', standing, renew),
  organization_purge_scheduled: told('destructive_lifecycle', 'org', standing, renew),
  verification_failed: told(
    'verification',
    'org',
    z.object({
      subject: z.enum(['contact_email', 'domain']),
      reason: z.string(),
      attempt_count: count,
      remaining_attempts: count,
    }),
    () => [{ type: 'retry', why: 'Ask for a new verification and answer that one.' }],
  ),
  webhook_disabled: told(
    'lifecycle',
    'org',
    z.object({ target: z.literal('operator_webhook'), consecutive_failures: count }),
    () => [
      {
        type: 'edit_request',
        command: 'svc contacts preferences set',
        why: 'Name an address that answers, or rotate its secret.',
      },
    ],
  ),
  channel_route_auto_paused: told(
    'security',
    'org',
    z.object({
      route_id: z.string(),
      route_name: z.string(),
      consecutive_hard_failures: count,
      pause_reason: z.literal('delivery_failures'),
    }),
    ({ payload }) => [
      {
        type: 'retry',
        method: 'POST',
        path: `/channel-routes/v1/${payload.route_id}/resume`,
        why: 'Resume the route once its channel takes messages again.',
      },
    ],
  ),
} as const;

export type PlatformEventType = keyof typeof eventCatalogue;
export type PlatformPayload<Type extends PlatformEventType> = z.input<(typeof eventCatalogue)[Type]['payload']>;

/** Names that no application may give its events. */
export const isPlatformType = (type: string): type is PlatformEventType => Object.hasOwn(eventCatalogue, type);
