import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/deliveries.ts';

export const group: Group = {
  name: 'deliveries',
  about: ['svc deliveries: what you were told about what you answer for, by mail and by webhook, and how that went.'],
  commands: everyCommand(rows, [
    operationCommand('deliveries list', rows['notices.list'], {
      columns: ['id', 'created_at', 'event_type', 'channel', 'delivery_status', 'delivery_error'],
      examples: [
        ['The latest', 'deliveries list'],
        ['Of one kind', 'deliveries list --type organization_past_due'],
      ],
      empty: 'Nothing was told yet. Try it: svc contacts test',
    }),
    operationCommand('deliveries get', rows['notices.get'], {
      takes: [take('notification', { name: 'notification_id' })],
      examples: [['One of them', 'deliveries get ntf_01jzk3']],
    }),
  ]),
};
