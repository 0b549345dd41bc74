import { type Access, type NoScope, type OrgScope, onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { findOwnOrg, isMissing, ownScope } from '../../orgs/shared/own-org.ts';
import { aiActions } from './actions.ts';

interface MayNameProject {
  readonly project?: string | undefined;
}

/**
 * Who pays for an image: the organization of the project that is named or that a key is for, else the wallet's own. A
 * caller without either pays on chain.
 */
export function imageBuyer<Input extends MayNameProject>(): Access<Input, OrgScope | NoScope> {
  const action = aiActions['project:ai:use'];
  const onProject = onNamedOrOwnProject<Input>(action);
  return {
    action: null,
    openTo: 'anyone',
    addressed: ({ project }) => project,
    async authorise(ctx, caller, input, ahead) {
      if (input.project !== undefined) return onProject.authorise(ctx, caller, input, ahead);
      if (caller.kind === 'nobody') return {};
      if (caller.kind !== 'wallet') return onProject.authorise(ctx, caller, input, ahead);
      const own = await findOwnOrg(ctx.services.db, caller.principal.id);
      return isMissing(own) ? {} : ownScope(own, action);
    },
  };
}
