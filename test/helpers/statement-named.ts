import { registeredStatements } from '../../db/sql.ts';

/** Tells the text of one statement of the program. @throws for a name that no statement has */
export function statementNamed(name: string): (text: string) => boolean {
  const own = registeredStatements().find((one) => one.name === name);
  if (own === undefined) throw new Error(`There is no statement ${name}.`);
  return (text) => text === own.text;
}
