import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to rooms, and to mail. */
export function roomChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const room = (rest: string) => () => `/orgs/v1/${home().orgId}/rooms/standup${rest}`;
  return {
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
