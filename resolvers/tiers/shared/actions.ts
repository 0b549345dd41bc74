import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const tierActions = actions({
  'org:tier:set': { role: 'billing' },
});
