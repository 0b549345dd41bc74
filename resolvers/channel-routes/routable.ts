import { ServiceError } from '../../core/errors.ts';
import { type EventClass, keptDays } from '../../kernel/feeds/event-types.ts';

/** Events that a channel may be told of. Contract 02, section 5.7. */
export const routableTypes = ['deploy_activated', 'error_fingerprints_observed', 'platform_incident'] as const;

/** Classes that leave by the mail of whoever answers alone, and never by a channel. */
const forbiddenClasses: ReadonlySet<string> = new Set<EventClass>([
  'security',
  'billing_critical',
  'destructive_lifecycle',
  'verification',
  'recovery',
]);

export const routableClasses = Object.keys(keptDays).filter((one) => !forbiddenClasses.has(one));

/** A filter as it is stored: null for everything that may be routed. */
export type Filter = readonly string[] | null | undefined;

const refused = (field: string, reason: string, more: object = {}) =>
  new ServiceError('VALIDATION_FAILED', {
    status: 422,
    message: `${field}: ${reason}`,
    details: { field, reason, ...more },
  });

/** @throws VALIDATION_FAILED with 422 for a list that is empty, or names what is never routed */
export function checkFilters({
  event_types: types,
  event_classes: classes,
}: Readonly<Record<'event_types' | 'event_classes', Filter>>): void {
  check('event_types', types, routableTypes);
  check('event_classes', classes, routableClasses);
}

function check(field: string, given: Filter, allowed: readonly string[]): void {
  if (given === null || given === undefined) return;
  if (given.length === 0) throw refused(field, 'must name something; leave it out for everything that may be routed');
  const wrong = given.filter((one) => !allowed.includes(one));
  if (wrong.length > 0) throw refused(field, `may hold ${allowed.join(', ')} alone`, { refused: wrong, allowed });
}

/** @throws VALIDATION_FAILED with 422 for a list of projects that does not go with the scope */
export function checkProjects(scope: 'listed' | 'org', projects: readonly string[]): void {
  if (scope === 'listed' && projects.length === 0)
    throw refused('project_ids', 'must name 1 to 50 projects; only the scope `org` does without');
}

/** @throws VALIDATION_FAILED with 422 */
export const unknownProjects = (missing: readonly string[]): ServiceError =>
  refused('project_ids', 'may name projects of the organization alone', { refused: missing });
