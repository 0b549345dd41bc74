import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { TypeFacts } from '../../engines/sql/values.ts';
import type { Services } from '../context.ts';
import { asReader, once } from './in-project.ts';

/** Types below this number are PostgreSQL's own, and the same in every database. */
const firstOwnType = 16_384;

const builtIn = new Map<number, TypeFacts>();

/** What types are called. Those of the tenant's own making are asked for each time. */
export async function typeFacts(
  { projectPools }: Pick<Services, 'projectPools'>,
  database: ProjectDatabase,
  ids: Iterable<number>,
): Promise<(id: number) => TypeFacts> {
  const facts = new Map<number, TypeFacts>();
  const missing: number[] = [];
  for (const id of new Set(ids)) {
    const known = builtIn.get(id);
    if (known === undefined) missing.push(id);
    else facts.set(id, known);
  }
  if (missing.length > 0) {
    const [, rows] = await projectPools.run(database, [asReader, once(typesText, [`{${missing.join(',')}}`])]);
    for (const [id, name, element, delimiter] of rows!) {
      const one = { name: name!, element: element!, delimiter: delimiter! };
      facts.set(Number(id), one);
      if (Number(id) < firstOwnType) builtIn.set(Number(id), one);
    }
  }
  return (id) => facts.get(id) ?? { name: String(id), element: null, delimiter: ',' };
}

const typesText = `select t.oid::int8, t.typname, e.typname, coalesce(e.typdelim, ',')
  from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where t.oid = any($1::oid[])`;
