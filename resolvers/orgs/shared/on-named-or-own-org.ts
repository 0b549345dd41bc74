import { invalidField } from '../../../core/errors.ts';
import {
  type Access,
  type NoScope,
  notAuthorized,
  type OrgScope,
  onOrg,
  signedIn,
} from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import { findOwnOrg, isMissing, ownScope } from './own-org.ts';

interface NamesOrg {
  readonly org_id?: string | undefined;
}

/**
 * An action on the named organization, or on the wallet's own, which may have yet to be made: the handler gets no
 * organization then, see `findOrCreateOwnOrg`. A session has to name one.
 */
export function onNamedOrOwnOrg<Input extends NamesOrg>(action: Action): Access<Input, OrgScope | NoScope> {
  const onNamed = onOrg(action, ({ org_id }: Input) => org_id!);
  const signedInWallet = signedIn<Input>('wallet', 'control_plane');
  return {
    action,
    authorise: async (ctx, caller, input) => {
      if (input.org_id !== undefined) return onNamed.authorise(ctx, caller, input);
      if (caller.kind === 'delegate') throw notAuthorized(action, 'forbidden');
      const { principal } = await signedInWallet.authorise(ctx, caller, input);
      if (caller.kind === 'control_plane') {
        const reason = 'a session has to name it';
        throw invalidField('org_id', reason);
      }
      const own = await findOwnOrg(ctx.services.db, principal.principal.id);
      return isMissing(own) ? {} : ownScope(own, action);
    },
  };
}
