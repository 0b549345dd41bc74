import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const hostErrors = defineErrors({
  SUBDOMAIN_TAKEN: row(409, 'conflict', 'The subdomain is taken or reserved.', { nextActions: [edit] }),
  INVALID_DOMAIN: row(422, 'validation', 'This is no domain that can be connected.', { nextActions: [edit] }),
  INVALID_DOMAIN_AUTHORITY: row(
    400,
    'validation',
    'The gateway hosts no zones: the domain’s owner sets its records (`manual_dns`).',
    { nextActions: [edit] },
  ),
  DOMAIN_NOT_FOUND: row(404, 'not_found', 'The project has no such domain.'),
  DOMAIN_CONFLICT: row(409, 'conflict', 'The domain is connected to another project.'),
  DOMAIN_MAIL_NOT_READY: row(409, 'conflict', 'The mail of the domain is not ready for that; its checks say why.'),
  SUBDOMAIN_NOT_FOUND: row(404, 'not_found', 'The project has no such subdomain.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof hostErrors, ErrorRow> {}
}
