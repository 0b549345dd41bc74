import type { Stage, Surfaces } from './surface.ts';

export const mailSurfaces = (_stage: Stage): Surfaces => ({
  'GET /mail/v1/admin/outbox': { cells: 'A P P P P P P +', field: () => '{ outboxMails { edges { cursor } } }' },
  'POST /mail/v1/admin/test': {
    cells: 'A P P F P P P +',
    body: () => ({ to: 'ada@example.com' }),
    field: () => 'mutation { sendTestMail(input: { to: "ada@example.com" }) { id } }',
  },
});
