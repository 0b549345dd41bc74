import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/** A node whose selections are folded into one result. */
export type Selecting = Definition | FieldNode | InlineFragmentNode;

interface SelectionFold<Result, Scope> {
  /** What is known inside `node`, from what is known around it; a definition has nothing around it. */
  enter(node: Selecting, around: Scope | undefined): Scope;
  /** The result of a node before any of its selections is added. */
  begin(node: Selecting): Result;
  /**
   * Adds one selection. `below` is the finished result of what it selects: absent for a leaf, an undefined fragment and
   * a spread that closes a cycle. A fragment's result is one object, handed out at each of its spreads: do not change it.
   */
  add(into: Result, selection: SelectionNode, below: Result | undefined, scope: Scope): void;
}

interface Frame<Result, Scope> {
  readonly node: Selecting;
  /** The selection of the frame underneath that led here; undefined for the definition we started from. */
  readonly via: FieldNode | InlineFragmentNode | FragmentSpreadNode | undefined;
  readonly scope: Scope;
  readonly result: Result;
  next: number;
}

/**
 * Folds every operation and fragment, bottom up. Made for documents nobody has validated: the stack is an array, so depth
 * costs memory and not frames, and each selection is visited once, however many spreads lead to it.
 */
export function foldSelections<Result, Scope>(
  document: DocumentNode,
  fold: SelectionFold<Result, Scope>,
): ReadonlyMap<Definition, Result> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const begun = new Set<Definition>();
  const finished = new Map<Definition, Result>();
  const stack: Frame<Result, Scope>[] = [];
  const push = (node: Selecting, around?: Scope, via?: Frame<Result, Scope>['via']) =>
    stack.push({ node, via, scope: fold.enter(node, around), result: fold.begin(node), next: 0 });

  for (const definition of document.definitions) {
    if (!isDefinition(definition) || begun.has(definition)) continue;
    begun.add(definition);
    push(definition);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { node, result, scope, via } = frame;
      const selection = node.selectionSet?.selections[frame.next++];
      if (selection === undefined) {
        stack.pop();
        if (isDefinition(node)) finished.set(node, result);
        const parent = stack.at(-1);
        if (parent !== undefined) fold.add(parent.result, via!, result, parent.scope);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment === undefined) fold.add(result, selection, undefined, scope);
        // Begun and not finished: we are inside it, and this spread closes a cycle.
        else if (begun.has(fragment)) fold.add(result, selection, finished.get(fragment), scope);
        else {
          begun.add(fragment);
          push(fragment, undefined, selection);
        }
      } else if (selection.selectionSet === undefined) fold.add(result, selection, undefined, scope);
      else push(selection, scope, selection);
    }
  }
  return finished;
}

const isDefinition = (node: { readonly kind: string }): node is Definition =>
  node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;
