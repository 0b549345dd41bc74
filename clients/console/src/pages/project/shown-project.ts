import type { ProjectQuery } from './project.graphql.ts';

/** A project as its home shows it. */
export type Project = NonNullable<ProjectQuery['project']>;
