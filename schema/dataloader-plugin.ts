import SchemaBuilder, {
  isThenable,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  unwrapOutputFieldType,
} from '@pothos/core';
import DataloaderPlugin, { PothosDataloaderPlugin } from '@pothos/plugin-dataloader';
import type DataLoader from 'dataloader';
import type { GraphQLFieldResolver } from 'graphql';

type Resolve = GraphQLFieldResolver<unknown, object, object>;

/**
 * Loads what a resolver names by its id, as the plugin does that this one stands in for, but makes no loader before
 * there is an id: most fields give the object itself, and a loader with its maps costs more than many a query.
 */
class LazyDataloaderPlugin<Types extends SchemaTypes> extends PothosDataloaderPlugin<Types> {
  override wrapResolve(resolver: Resolve, fieldConfig: PothosOutputFieldConfig<Types>): Resolve {
    const { extensions } = this.buildCache.getTypeConfig(unwrapOutputFieldType(fieldConfig.type));
    const getDataloader = extensions?.getDataloader as ((context: object) => DataLoader<unknown, unknown>) | undefined;
    // Lists of ids are left to the original.
    if (getDataloader === undefined) return resolver;
    if (fieldConfig.type.kind === 'List') return super.wrapResolve(resolver, fieldConfig);
    const load = (found: unknown, context: object): unknown =>
      typeof found === 'string' || typeof found === 'number' || typeof found === 'bigint'
        ? getDataloader(context).load(found)
        : found;
    return (parent, args, context, info) => {
      const found: unknown = resolver(parent, args, context, info);
      return isThenable(found) ? found.then((one) => load(one, context)) : load(found, context);
    };
  }
}

SchemaBuilder.allowPluginReRegistration = true;
SchemaBuilder.registerPlugin(DataloaderPlugin, LazyDataloaderPlugin);
SchemaBuilder.allowPluginReRegistration = false;

export default DataloaderPlugin;
