import type { builder } from './builder.ts';

/** What makes the fields of an input. */
export type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** The organization that an input is about. */
export const orgField = (t: InputFields) => ({
  org: t.id({ description: 'Organization, by global or native id.' }),
});

/** The project that an input is about. */
export const projectField = (t: InputFields) => ({
  project: t.id({ description: 'Project, by global or native id.' }),
});
