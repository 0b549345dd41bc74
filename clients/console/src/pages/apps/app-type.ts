import type { AppQuery } from './apps.graphql.ts';

/** A published version, as its page shows it. */
export type App = NonNullable<AppQuery['app']>;
