// A space that does not break, an apostrophe and an underscore stand between digits for no other reason.
const PLAIN = /(?<![\w.,:-])\d{1,3}(?:[\u00a0\u2007\u2009\u202f'’_]\d{3}){1,3}(?![\w:]|[.,]\d)/g;
const BLANKED = String.raw`[1-9]\d{0,2}(?: \d{3}){1,3}`;
// With a unit or what was counted behind it, a group is of the figure before it; one behind a name that has a number is not.
const SIZED = new RegExp(
  String.raw`(?<![\w.,:%/#-])(?<!\d )(?<!\b(?:day|d|week|w|hour|h|min|image|picture|photo|video|page|document|conversation|query|question|message|inference|generation|prompt|request|req|call|turn|session|user|swap|iteration|iter|batch|run|round|cycle|step|epoch|gpu|card|rank|node|pod|pid|process|worker|level|version) )${BLANKED}(?= ?[KMG]i?B?\b| (?:requests?|prompts?|images?|pictures?|iterations?|steps?|calls|messages?|tokens|pages|runs)\b)`,
  'gi',
);
// A cell of its own, or one behind `after`.
const CELL = new RegExp(
  String.raw`(?<=(?:^[\s#*•>]{0,8}|[|\t:=]\s{0,8}| {2,8})(?:after )?)${BLANKED}(?=\s*(?:$|[|\t:]| {2,}))`,
  'gim',
);

/** `44 262 MiB` as `44262 MiB`, `12'500 requests` as `12500 requests`: digits that people keep in groups of three. */
export function withoutGroups(text: string): string {
  const joined = (digits: string) => digits.replaceAll(/\D/g, '');
  return text.replaceAll(PLAIN, joined).replaceAll(SIZED, joined).replaceAll(CELL, joined);
}
