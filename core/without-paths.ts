/** Between quotes a path may hold blanks; without them it ends at the first. Two names at least: `/` alone tells nothing. */
const quoted = /"(?:\/|[a-z]:[\\/])[^"\n]*[\\/]([^"\\/\n]*)"/gi;
const plain = /(?<![\w"/.:-])\/(?:[^\s"'():,;/]+\/)+([^\s"'():,;/]*)/g;

/** Whether PostgreSQL speaks of a file: by its code (system, configuration, internal) or by its words. */
const ofFiles = /^(58|F0|XX)/;
const words = /\b(could not|cannot|failed to|unable to)\b|\bfile "|\bdirectory "/i;

/**
 * What PostgreSQL says of its files, by their names alone: where a server is installed and keeps its data is not for those
 * whose SQL it runs. @param code SQLSTATE
 */
export const withoutPaths = (code: string, text: string): string =>
  ofFiles.test(code) || words.test(text) ? text.replace(quoted, '"$1"').replace(plain, '$1') : text;
