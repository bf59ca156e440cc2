/** A yes or no with its words, or why it could not be told. */
export type Check =
  | { readonly kind: 'good'; readonly says: string }
  | { readonly kind: 'bad'; readonly says: string }
  | { readonly kind: 'unknown'; readonly why: string };
