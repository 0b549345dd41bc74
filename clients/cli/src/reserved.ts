/** What is not served yet, with the commands that are kept free for it. */
const areas: Readonly<Record<string, readonly string[]>> = {
  'These figures are not shown yet.': ['allowance history', 'projects costs', 'projects tenant-payments'],
};

/**
 * Words of the documented command that this version has not. They are told apart from a slip of the finger, so that
 * nobody is pointed to another command that only looks alike.
 */
export const reserved: readonly { readonly words: string; readonly why: string }[] = Object.entries(areas).flatMap(
  ([why, commands]) => commands.map((words) => ({ words, why })),
);

/** @returns why there is no such command, when it is one that may come */
export const reservedFor = (words: readonly string[]): string | undefined =>
  reserved.find((one) => `${words.join(' ')} `.startsWith(`${one.words} `))?.why;
