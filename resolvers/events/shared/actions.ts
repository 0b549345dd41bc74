import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const eventActions = actions({
  'event:emit': { role: null, serviceKey: true },
});
