import type { Cli } from '../cli.ts';
import { connection, failed } from './gateway.ts';

/** Asks the graph what no documented path answers. @throws Failure with the gateway's refusal */
export async function graphql<Data>(cli: Cli, query: string, variables: object = {}): Promise<Data> {
  const { graphql: ask } = await import('../../../sdk/src/graphql.ts');
  try {
    return (await ask(await connection(cli), query, variables as never)) as Data;
  } catch (error) {
    throw failed(cli, error);
  }
}
