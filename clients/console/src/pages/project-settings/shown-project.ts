import type { ProjectSettingsQuery } from './settings.graphql.ts';

/** A project as its settings show it. */
export type Project = NonNullable<ProjectSettingsQuery['project']>;
