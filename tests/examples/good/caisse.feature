# language: fr
@SHOP-G1.3 @scope:caisse
Fonctionnalité: La caisse n'est jamais vide
  Expect: il reste toujours une pièce.
  Hook: aucun

  Contexte:
    Soit a till with 5 coins of "franc"

  Règle: Tout le monde est payé
    Plan du scénario: <n> pièces
      Quand <n> coins are taken
      Et Ada counts the coins
      Alors the till holds
        | franc | <reste> |
      Et Ada is paid <n> coins
      Mais the till is never empty
      Et file "vol.txt" never exists

      Exemples: peu
        | n | reste |
        | 1 | 4     |
