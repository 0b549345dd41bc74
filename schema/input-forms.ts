/** A JSON Schema of an input, as far as it is looked at. */
export interface Form {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Form[];
  readonly items?: Form;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** Inputs that name the same thing wherever they occur: the node whose id they are, and what the graph calls them. */
export const knownIds: Readonly<
  Record<string, { readonly of: string; readonly as?: string; readonly type?: 'String' } | undefined>
> = {
  org: { of: 'Organization' },
  org_id: { of: 'Organization', as: 'org' },
  project: { of: 'Project' },
  project_id: { of: 'Project', as: 'project' },
  // Most rooms have a label for a key; a project's own has the project's id.
  room: { of: 'Project', type: 'String' },
};

export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The form without null, and whether null is a value of it. */
export function withoutNull(form: Form): { readonly form: Form; readonly takesNull: boolean } {
  const { anyOf, type, ...rest } = form;
  if (Array.isArray(type) && type.includes('null')) {
    const [only] = type.filter((one) => one !== 'null');
    return { form: { ...rest, type: only }, takesNull: true };
  }
  const others = anyOf?.filter((one) => one.type !== 'null');
  if (anyOf === undefined || others?.length !== 1) return { form, takesNull: false };
  return { form: { ...rest, ...others[0] }, takesNull: others.length < anyOf.length };
}

/** Of a list the form of its elements. */
export function listed(form: Form): {
  readonly form: Form;
  readonly isList: boolean;
  readonly takesNullItems: boolean;
} {
  if (form.items === undefined) return { form, isList: false, takesNullItems: false };
  const { form: item, takesNull } = withoutNull(form.items);
  return { form: item, isList: true, takesNullItems: takesNull || scalarOf(item) === 'JSON' };
}

const intMax = 2 ** 31 - 1;

/** The scalar that a form is; undefined for enumerations and objects, which have names in the graph. */
export function scalarOf(
  form: Form,
): 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'JSON' | 'JSONObject' | undefined {
  const { type, format, minimum = -Infinity, maximum = Infinity } = form;
  switch (type) {
    case 'string':
      if (form.enum !== undefined || form.const !== undefined) return undefined;
      return format === 'date-time' ? 'DateTime' : 'String';
    case 'integer':
      return minimum >= -intMax && maximum <= intMax ? 'Int' : 'Float';
    case 'number':
      return form.enum?.every(Number.isInteger) === true ? 'Int' : 'Float';
    case 'boolean':
      return 'Boolean';
    case 'object':
      return form.properties === undefined ? 'JSONObject' : undefined;
    default:
      return 'JSON';
  }
}

/**
 * What is said of an input, with names and values in backticks as the graph spells them.
 *
 * @param values of an enumeration, as the operation calls them
 * @param takesGlobalId it is the id of a node
 */
export function textOf(
  text: string,
  values: readonly unknown[],
  names: Readonly<Record<string, string>>,
  takesGlobalId: boolean,
): string {
  const spelt = text.replace(/`([^`]+)`/g, (quoted, word: string) => {
    if (values.includes(word)) return `\`${word.toUpperCase().replace(/[^A-Z0-9]/g, '_')}\``;
    return names[word] === undefined ? quoted : `\`${names[word]}\``;
  });
  return takesGlobalId ? `${spelt} Its global id is taken, too.` : spelt;
}
