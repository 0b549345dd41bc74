import type { ServiceError } from '../../core/errors.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import { roomActions } from './shared/actions.ts';

/** The same refusal as on entering, for a caller who was admitted and has lost the right since. */
export const roomAuthorityLost = (): ServiceError => notAuthorized(roomActions['room:read'], 'member');
