import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to add-ons. What a model answers needs one, see `test/ai`. */
export function aiChanges(service: Service, home: Home): Changes {
  const send = sender(service);
  const body = () => ({ project_id: home().projectId, addon: 'translation' });
  const addon = {
    kind: 'project',
    objectId: () => home().projectId,
    written: 'select xmin::text from ai_addons where project_id = $1',
  };
  const forget = () => service.control.sql('delete from ai_addons where project_id = $1', [home().projectId]);
  return {
    adminOnly: ['ai.activateAddon', 'ai.deactivateAddon'],
    changes: [
      {
        ...addon,
        operation: 'ai.activateAddon',
        action: 'ai.addon_activated',
        prepare: forget,
        send: send('POST', () => '/ai/v1/addons', body),
      },
      {
        ...addon,
        operation: 'ai.deactivateAddon',
        action: 'ai.addon_deactivated',
        async prepare() {
          await forget();
          await service.control.sql(
            `insert into ai_addons (project_id, addon, active, included_words) values ($1, 'translation', true, 1)`,
            [home().projectId],
          );
        },
        send: send('DELETE', () => '/ai/v1/addons', body),
      },
    ],
  };
}
