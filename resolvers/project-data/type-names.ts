import type { ScriptSequel } from '../../db/wire/script.ts';
import type { TypeFacts } from '../../engines/sql/values.ts';
import { once } from './shared/in-project.ts';

/** Types below this number are PostgreSQL's own, and the same in every database. */
const firstOwnType = 16_384;

const builtIn = new Map<number, TypeFacts>();

/**
 * Learns what the types of a script's answer are called, in the script's own transaction: when it is committed, nothing
 * is left that could fail. Those of the tenant's own making are asked for each time.
 */
export function learningTypes(): { readonly sequel: ScriptSequel; readonly typeOf: (id: number) => TypeFacts } {
  const own = new Map<number, TypeFacts>();
  return {
    sequel: {
      statement({ fields, told }) {
        const shown = [...fields, ...told.flatMap((one) => one.fields)];
        const missing = new Set(shown.map(({ typeId }) => typeId).filter((id) => !builtIn.has(id)));
        return missing.size === 0 ? undefined : once(typesText, [`{${[...missing].join(',')}}`]);
      },
      onRows(rows) {
        for (const [id, name, element, delimiter] of rows) {
          const isOwn = Number(id) >= firstOwnType;
          const one = { name: name!, builtIn: isOwn ? '' : name!, element: element!, delimiter: delimiter! };
          (isOwn ? own : builtIn).set(Number(id), one);
        }
      },
    },
    typeOf: (id) => own.get(id) ?? builtIn.get(id) ?? { name: String(id), builtIn: '', element: null, delimiter: ',' },
  };
}

/** Every name has its schema: the tenant's SQL came before, and may have set where names are looked for. */
const typesText = `select t.oid::pg_catalog.int8, t.typname,
    case when e.oid operator(pg_catalog.>=) ${firstOwnType} then '' else e.typname end, coalesce(e.typdelim, ',')
  from pg_catalog.pg_type t left join pg_catalog.pg_type e
    on e.oid operator(pg_catalog.=) t.typelem and t.typcategory operator(pg_catalog.=) 'A'
  where t.oid operator(pg_catalog.=) any($1::pg_catalog.oid[])`;
