import { ServiceError } from '../../core/errors.ts';
import type { Access, NoScope } from '../../kernel/access/access.ts';
import type { SessionCaller } from '../../kernel/access/caller.ts';
import type { SessionKind } from '../identity/shared/session-token.ts';

/** A person in a session of its own. */
export interface SessionScope extends NoScope {
  readonly session: SessionCaller;
}

/** Admits a person in a session of one of the kinds. */
export const inSession = <Input>(...kinds: readonly SessionKind[]): Access<Input, SessionScope> => ({
  action: null,
  authorise: async (_ctx, caller) => {
    if ((caller.kind === 'control_plane' || caller.kind === 'operator') && kinds.includes(caller.kind))
      return { session: caller };
    throw new ServiceError('AUTH_REQUIRED', {
      message: 'This needs a person’s session.',
      nextActions: [
        { type: 'authenticate', command: 'svc operator login', why: 'Sign in as a person, then send it again.' },
      ],
    });
  },
});
