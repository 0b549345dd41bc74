import { id, moment } from '../columns.ts';
import { index, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

export const incidentSubsystems = ['functions', 'database', 'mail', 'storage', 'edge', 'deploy'] as const;
export const incidentSeverities = ['minor', 'major', 'critical'] as const;

/** What the platform itself does wrong, as its admin declares it. Contract 02, section 1.8. */
export const platformIncidents = pgTable(
  'platform_incidents',
  {
    id: id().primaryKey(),
    subsystem: text('subsystem').$type<(typeof incidentSubsystems)[number]>().notNull(),
    severity: text('severity').$type<(typeof incidentSeverities)[number]>().notNull(),
    /** `global`: of no project in particular; `projects`: of those it is attributed to. */
    scope: text('scope').$type<'global' | 'projects'>().notNull(),
    summary: text('summary').notNull(),
    startedAt: moment('started_at').notNull().defaultNow(),
    /** Null while it lasts. */
    resolvedAt: moment('resolved_at'),
  },
  (t) => [
    // All who read events ask for those that are open.
    index('platform_incidents_open_idx').on(t.id).where(sql`resolved_at is null`),
    index('platform_incidents_newest_idx').on(t.startedAt, t.id),
  ],
);

/** Projects that an incident is attributed to. */
export const platformIncidentProjects = pgTable(
  'platform_incident_projects',
  {
    incidentId: id('incident_id')
      .notNull()
      .references(() => platformIncidents.id, { onDelete: 'cascade' }),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.incidentId, t.projectId] }),
    index('platform_incident_projects_org_idx').on(t.orgId, t.projectId),
  ],
);

export type PlatformIncident = typeof platformIncidents.$inferSelect;
