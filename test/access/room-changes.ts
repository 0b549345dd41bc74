import { randomUUID } from 'node:crypto';
import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to rooms, and to mail. */
export function roomChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const room = (rest: string) => () => `/orgs/v1/${home().orgId}/rooms/standup${rest}`;
  const invite = randomUUID();
  /** A message that names a presence of the owner's, and asks it to acknowledge. */
  const recipients = [{ presenceId: 'prs_named', name: 'Named', kind: 'to', ackRequired: true, ackedAt: null }];
  const name = () =>
    service.control.sql(`update room_messages set recipients = $1 where id = 'msg_named'`, [
      JSON.stringify(recipients),
    ]);
  return {
    async prepare() {
      const { orgId } = home();
      await service.control.sql(
        `insert into room_presences (org_id, id, room_key, principal_id, name, last_active, expires_at)
         select org_id, 'prs_named', 'standup', principal_id, 'Named', now(), now() + interval '1 day'
         from memberships where org_id = $1 and role = 'owner'`,
        [orgId],
      );
      await service.control.sql(
        `insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
           importance, ack_required, recipients)
         values ($1, 'standup', -1, 'msg_named', 'prs_named', 'Named', 'prn_named', 'sesame', 'normal', true, '[]')`,
        [orgId],
      );
      await name();
      await service.control.sql(
        `insert into room_invites (org_id, id, room_key, auth_hash, created_by, expires_at)
         values ($1, $2, 'standup', repeat('a', 64), 'prn_named', now() + interval '1 day')`,
        [orgId, invite],
      );
    },
    adminOnly: ['mail.sendTest'],
    changes: [
      {
        operation: 'rooms.join',
        action: 'presence.registered',
        kind: 'presence',
        send: send('POST', room('/presences')),
        objectId: ({ presence_id }) => presence_id!,
        written: 'select xmin::text from room_presences where id = $1',
      },
      {
        operation: 'rooms.sendMessage',
        action: 'message.sent',
        kind: 'message',
        send: send('POST', room('/messages'), () => ({ body: 'sesame' })),
        objectId: ({ message_id }) => message_id!,
        written: 'select xmin::text from room_messages where id = $1',
      },
      {
        operation: 'rooms.ackMessage',
        action: 'message.acknowledged',
        kind: 'message',
        send: send('POST', room('/messages/msg_named/ack')),
        objectId: ({ message_id }) => message_id!,
        written: 'select xmin::text from room_messages where id = $1',
        restore: name,
      },
      {
        operation: 'rooms.mintInvite',
        action: 'room_invite.minted',
        kind: 'room_invite',
        send: send('POST', room('/invites'), () => ({ invite_id: randomUUID(), auth_hash: 'a'.repeat(64) })),
        objectId: ({ invite_id }) => invite_id!,
        written: 'select xmin::text from room_invites where id = $1',
      },
      {
        operation: 'rooms.revokeInvite',
        action: 'room_invite.revoked',
        kind: 'room_invite',
        send: send('DELETE', room(`/invites/${invite}`)),
        objectId: ({ invite_id }) => invite_id!,
        written: 'select xmin::text from room_invites where id = $1',
        restore: () => service.control.sql('update room_invites set revoked_at = null where id = $1', [invite]),
      },
      {
        operation: 'mail.sendTest',
        action: 'mail.test_sent',
        kind: 'mail',
        send: send(
          'POST',
          () => '/mail/v1/admin/test',
          () => ({ to: 'ada@example.com' }),
        ),
        objectId: ({ mail_id }) => mail_id!,
        written: 'select xmin::text from mail_outbox where id = $1',
      },
    ],
  };
}
