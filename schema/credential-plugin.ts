import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { ServiceError } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';

const pluginName = 'credential';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [pluginName]: CredentialPlugin<Types>;
    }

    interface FieldOptions<
      Types extends SchemaTypes,
      ParentShape,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > {
      /** Wants a credential, of any kind: what it may do is decided by the operation. */
      authScopes?: { readonly credential: true };
    }
  }
}

/** What is asked for a field before its resolver's answer is given. */
async function guarded(ctx: Context, resolve: () => unknown): Promise<unknown> {
  if (ctx.anonymous !== false) {
    if ((await ctx.caller()).kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    return resolve();
  }
  // There is one, and whether it holds is asked while the field finds its answer: an operation changes nothing before
  // it knows who asks, and nobody sees what was read for a credential that does not hold.
  const asked = ctx.caller();
  // Said when the field is done, however long that takes.
  asked.catch(() => undefined);
  try {
    return await resolve();
  } finally {
    await asked;
  }
}

/** Refuses fields that want a credential to requests without one, or with one that does not hold. */
class CredentialPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (pothosOptions.authScopes === undefined) return resolve;
    return (parent, args, ctx, info) => guarded(ctx as Context, () => resolve(parent, args, ctx, info));
  }
}

SchemaBuilder.registerPlugin(pluginName, CredentialPlugin);

export default pluginName;
