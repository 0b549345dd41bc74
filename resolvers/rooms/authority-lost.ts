import type { ServiceError } from '../../core/errors.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import { roomActions } from './shared/actions.ts';

/** The same refusal as at the door, for whoever was let in and has lost the right since. */
export const roomAuthorityLost = (): ServiceError => notAuthorized(roomActions['room:read'], 'member');
