import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

/** Codes of models. Contract 04, section 3.2. */
export const aiErrors = defineErrors({
  AI_NOT_CONFIGURED: row(503, 'upstream', 'The operator has named no model that does this.'),
  AI_ADDON_INACTIVE: row(
    403,
    'quota',
    'The project does not have this add-on. The operator of the platform activates it.',
    {
      nextActions: [{ type: 'contact_support', why: 'Ask the operator to activate the add-on for the project.' }],
    },
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof aiErrors, ErrorRow> {}
}
