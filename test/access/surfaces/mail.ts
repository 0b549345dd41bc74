import type { Stage, Surfaces } from './surface.ts';

export const mailSurfaces = (_stage: Stage): Surfaces => ({
  'GET /mail/v1/admin/outbox': {
    addition: { status: 200, reason: 'without SMTP the outbox is where mail is read' },
    cells: 'A P P P P P P +',
    field: () => '{ outboxMails { edges { cursor } } }',
  },
  'POST /mail/v1/admin/test': {
    audited: {
      action: 'mail.test_sent',
      kind: 'mail',
      objectId: 'mail_id',
      written: 'select xmin::text from mail_outbox where id = $1',
    },
    addition: { status: 201, reason: 'shows whether the mail settings work' },

    cells: 'A P P F P P P +',
    body: () => ({ to: 'ada@example.com' }),
    field: () => 'mutation { sendTestMail(input: { to: "ada@example.com" }) { id } }',
  },
});
