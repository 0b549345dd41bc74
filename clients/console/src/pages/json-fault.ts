import type { EditorFault } from '../design/editor-props.ts';

/** Why a text is no object of JSON, with its place; undefined for one that is. */
export function jsonFault(text: string): EditorFault | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
    return { from: 0, to: text.length, message: 'This has to be an object, in braces.' };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const place = /position (\d+)/.exec(said)?.[1];
    const from = Math.min(place === undefined ? text.length : Number(place), Math.max(0, text.length - 1));
    const line = text.slice(0, from).split('\n').length;
    return { from, message: `This is no JSON: look at line ${line}.` };
  }
}
