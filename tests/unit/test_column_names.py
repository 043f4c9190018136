"""Names of columns in nine languages: sixty of each, with the meaning that a reader would give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from ordermade.drafts.column_names import ColumnName, column_names, folded
from ordermade.drafts.profile import ColumnProfile, ValueCount
from ordermade.drafts.roles import proposed_roles

LANGUAGES = ("en", "ja", "de", "fr", "es", "it", "nl", "pt", "pl")
TABLE = """
e-mail address       | email | メールアドレス | E-Mail | courriel | correo_electronico | posta_elettronica | e-mailadres | e_mail | adres_e_mail
e-mail address       | EmailAddress | 連絡先メール | E-Mail-Adresse | adresse_mail | email_cliente | Email | emailadres | EMAIL | poczta_elektroniczna
telephone number     | phone_number | 電話番号 | Telefonnummer | numéro_de_téléphone | teléfono | telefono | telefoonnummer | telefone | nr_telefonu
telephone number     | mobile | 携帯番号 | Handynummer | tél | móvil | cellulare | mobiel | Telemóvel | telefon
a person's name      | first_name | 氏名 | Vorname | prénom | apellidos | cognome | voornaam | sobrenome | imię
a person's name      | LastName | フリガナ | NACHNAME | NOM_DE_FAMILLE | primer_apellido | COGNOME | Achternaam | apelido | nazwisko
a person's name      | maiden name | 患者名 | Geburtsname | nom_naissance | nombre_completo | nome_paziente | tussenvoegsel | nome_da_mãe | nazwisko_panienskie
official or account  | SSN | マイナンバー | Steuer-ID | numero_securite_sociale | DNI | codice_fiscale | BSN | CPF | PESEL
official or account  | passport_no | パスポート番号 | Versichertennummer | n_passeport | num_pasaporte | CodFiscale | paspoortnummer | NIF | numer_dowodu
official or account  | iban | 口座番号 | Kontonummer | IBAN | nro_seguridad_social | tessera_sanitaria | rekeningnummer | passaporte | NIP
official or account  | driver_license | 保険証番号 | Personalausweisnummer | carte_vitale | tarjeta_sanitaria | num_carta_identita | burgerservicenummer | cartao_cidadao | nr_konta
address of person    | street | 住所 | Straße | adresse | dirección | indirizzo | straatnaam | endereço | ulica
address of person    | house_number | 番地 | Hausnr | rue | calle | num_civico | huisnummer | morada | nr_domu
key                  | patient_id | 患者番号 | Patienten-Nr | id_patient | id_paciente | codice_paziente | patiëntnummer | nr_processo | id_pacjenta
key                  | CustomerNo | 会員番号 | Kundennummer | numero_client | numero_cliente | numero_pratica | klantnr | codigo_cliente | numer_klienta
name                 | name | 保護者 | Name | nom | nombre | nome | naam | Nome | lekarz
free text            | comments | 備考 | Bemerkungen | commentaire | observaciones | note_libere_testo | opmerkingen | observações | uwagi
free text            | description | コメント | Beschreibung | remarques | comentarios | descrizione | toelichting | descricao | opis
birth                | birth_date | 生年月日 | Geburtsdatum | date_naissance | fecha_nacimiento | data_nascita | geboortedatum | data_nascimento | data_urodzenia
birth                | DOB | 生年 | geb_dat | date_de_naissance | fec_nac | data_di_nascita | geb_datum | dt_nasc | rok_urodzenia
birth                | BirthYear | 出生年月 | Geburtsjahr | annee_naissance | año_nacimiento | anno_nascita | geboortejaar | ano_nascimento | data_ur_urodz
age                  | age | 年齢 | Alter | âge | edad | età | leeftijd | idade | wiek
age                  | AgeGroup | 年代 | Altersgruppe | tranche_d_age | grupo_edad | fascia_eta_età | leeftijdsgroep | faixa_etária | grupa_wiekowa
sex                  | sex | 性別 | Geschlecht | sexe | sexo | sesso | geslacht | Sexo | płeć
sex                  | gender | 性別コード | GESCHL | SEXE | SEXO | SESSO | Geslacht | sexo_utente | plec
postcode             | zip_code | 郵便番号 | PLZ | code_postal | código_postal | CAP | postcode | CEP | kod_pocztowy
postcode             | PostCode | 郵便コード | Postleitzahl | CodePostal | CODIGO_POSTAL | codice_postale | Postcode | codigo_postal | kodPocztowy
country              | country | 国名 | Herkunftsland | pays | país | paese | land_herkomst | país_origem | kraj
place                | city | 市区町村 | Ort | commune | municipio | comune | woonplaats | município | miejscowość
place                | town | 居住地 | Wohnort | ville | ciudad | città | gemeente | cidade | miasto
place                | county | 町名 | Bundesland | departement | provincia | provincia_res | provincie | concelho | województwo
place                | residence | 地域 | Gemeinde | lieu_residence | localidad | comune_di_residenza | wijk | freguesia | gmina
origin               | nationality | 国籍 | Staatsangehörigkeit | nationalité | nacionalidad | cittadinanza | nationaliteit | nacionalidade | obywatelstwo
origin               | ethnicity | 母語 | Muttersprache | langue_maternelle | idioma | madrelingua | moedertaal | raça | jezyk
occupation           | occupation | 職業 | Beruf | profession | profesión | professione | beroep | profissão | zawód
occupation           | job_title | 勤務先 | Arbeitgeber | métier | ocupacion | occupazione | werkgever | profissao | stanowisko
education            | education | 学歴 | Schulabschluss | niveau_etudes | nivel_estudios | titolo_di_studio | opleiding | escolaridade | wykształcenie
education            | degree | 学校名 | Bildungsabschluss | diplôme | escolaridad | istruzione | opleidingsniveau | grau_instrucao | szkoła
family               | marital_status | 婚姻状況 | Familienstand | situation_familiale | estado_civil | stato_civile | burgerlijke_staat | estado_civil | stan_cywilny
family               | children | 世帯人数 | Kinderzahl | nb_enfants | hijos | num_figli | aantal_kinderen | num_filhos | liczba_dzieci
family               | household_size | 配偶者 | Haushaltsgröße | état_civil | tamaño_hogar | nucleo_familiare | huishoudgrootte | agregado_familiar | gospodarstwo_domowe
event date           | admission_date | 入院日 | Aufnahmedatum | date_entrée | fecha_ingreso | data_ricovero | opnamedatum | data_internamento | data_przyjęcia
event date           | discharge_date | 退院日 | Entlassungsdatum | date_sortie | fecha_alta | data_dimissione | ontslagdatum | data_alta | data_wypisu
event date           | death date | 登録日 | Sterbedatum | date_décès | fecha_fallecimiento | data_decesso | overlijdensdatum | data_óbito | data_zgonu
event date           | registration | 入社年月日 | Eintrittsdatum | date_inscription | fecha_visita | data_iscrizione | datum_bezoek | data_consulta | data_wizyty
body                 | height | 身長 | Körpergröße | taille | estatura | altezza | lengte | altura | wzrost
body                 | weight | 体重 | Gewicht | poids | peso | peso | lichaamsgewicht | Peso | waga
health               | diagnosis | 診断名 | Hauptdiagnose | diagnostic_principal | diagnóstico | diagnosi_principale | hoofddiagnose | diagnostico | rozpoznanie
health               | ICD10 | 病名 | ICD-10-Code | code_cim_10 | CIE10 | codice_icd | ICD10 | CID10 | kod_icd10
health               | disease | 既往歴 | Vorerkrankungen | maladie | enfermedad | patologia | aandoening | doença | choroba
health               | medication | 処方薬 | Medikation | traitement | medicación | farmaco | medicatie | medicamento | leki
health               | smoker | 喫煙 | Raucher | fumeur | fumador | fumatore | roker | fumante | palenie
health               | cause_of_death | 死因 | Todesursache | cause_de_décès | causa_muerte | causa_di_morte | doodsoorzaak | causa_do_óbito | przyczyna_zgonu
income or wealth     | income | 年収 | Einkommen | revenu | ingresos | reddito | inkomen | rendimento | dochód
income or wealth     | salary | 給与 | Bruttogehalt | salaire_net | salario | stipendio | salaris | salário | wynagrodzenie
income or wealth     | amount | 購入金額 | Rechnungsbetrag | montant | importe | importo | bedrag | montante | kwota
belief or opinion    | religion | 宗教 | Konfession | religion | religión | religione | geloof | religião | wyznanie
belief or opinion    | party | 支持政党 | Partei | parti_politique | partido | partito | partij | partido_politico | partia
result or grade      | score | 評価 | Schulnote | résultat | calificación | punteggio | cijfer | resultado | ocena
offences             | arrest | 前科 | Vorstrafen | infraction | delito | reato | strafblad | delito | wyrok
union membership     | union_member | 労働組合 | Gewerkschaft | syndicat | sindicato | sindacato | vakbond | sindicato | związek_zawodowy
"""  # noqa: E501
"""A meaning in each row, and the name of a column in each language."""

ROWS = [[part.strip() for part in line.split("|")] for line in TABLE.strip().splitlines()]

IDENTIFYING = ("e-mail", "telephone", "a person's", "official", "address", "key", "name", "free text")
SENSITIVE = ("health", "income", "belief", "result", "offences", "union")
REASONS: Mapping[str, str] = {"key": "a key by its name", "name": "names of persons", "free text": "free texts"}

OTHERS = {
    "en": "sex",
    "ja": "性別",
    "de": "Geschlecht",
    "fr": "ville",
    "es": "ciudad",
    "it": "sesso",
    "nl": "woonplaats",
    "pt": "cidade",
    "pl": "płeć",
}
"""Another column of the table that the name stands in."""


def column(name: str, distinct: int = 10) -> ColumnProfile:
    """A column of 1,000 rows of which nothing is known but how many values it has."""
    return ColumnProfile(name, "VARCHAR", 1000, 0, distinct, 0, longest=12, shortest=1, words=1.0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_a_language_mean_what_its_readers_say(language: str) -> None:
    wrong = []
    for row in ROWS:
        expected, name = row[0], row[1 + LANGUAGES.index(language)]
        role = (
            "identifier"
            if expected.startswith(IDENTIFYING)
            else "sensitive"
            if expected.startswith(SENSITIVE)
            else "quasi-identifier"
        )
        many = 400 if expected in REASONS else 10
        found = proposed_roles([column(name, many), column(OTHERS[language], 2)])[0]
        if found.role != role or not found.reason.startswith(REASONS.get(expected, f"its name says {expected}")):
            wrong.append((name, expected, found.role, found.reason))
    assert wrong == []


def test_the_table_has_sixty_names_in_every_language() -> None:
    assert len(ROWS) >= 60
    assert {len(row) for row in ROWS} == {1 + len(LANGUAGES)}


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("GEBURTSDATUM", "birth"),
        ("patientenNr", "number or code of a record"),
        ("STRASSE", "address of person or device"),
        ("Strasse", "address of person or device"),
        ("Koerpergroesse", "body"),
        ("grosse", "body"),
        ("prenom", "a person's name"),
        ("PLEC", "sex"),
        ("CodePostal", "postcode"),
        ("hba1c", "health"),
        ("data_nascita", "birth"),
    ],
)
def test_accents_case_and_ways_to_write_words_do_not_matter(name: str, means: str) -> None:
    assert ColumnName.of(name).means(means)


def test_letters_of_other_scripts_stay_as_they_are() -> None:
    assert folded("ガラス") == "ガラス"
    assert folded("Łódź Straße") == "lodz strasse"


ORDINARY = (
    ("cap", ["product", "colour"], "postcode"),
    ("data", ["product", "colour"], "event date"),
    ("note", ["product"], "result or grade"),
    ("via", ["product", "sex"], "address of person or device"),
    ("tag", ["product"], "event date"),
    ("genre", ["film"], "sex"),
    ("art", ["Geschlecht"], "sex"),
)
"""Words that are ordinary in English, beside other columns, and what they would mean elsewhere."""


@pytest.mark.parametrize(("name", "others", "means"), ORDINARY)
def test_words_that_are_ordinary_elsewhere_need_their_language(name: str, others: list[str], means: str) -> None:
    assert not column_names([name, *others])[name].means(means)


@pytest.mark.parametrize(
    ("name", "other", "means"), [("CAP", "comune", "postcode"), ("Note", "Schüler", "result or grade")]
)
def test_they_count_beside_columns_of_their_language(name: str, other: str, means: str) -> None:
    assert column_names([name, other])[name].means(means)


HARMLESS = (
    "Produktname product_name nom_produit nombre_producto nome_prodotto file_name phone_model email_opt_in "
    "mobile_price_range Artikelname town_name sale art"
)


@pytest.mark.parametrize("name", HARMLESS.split())
def test_things_are_not_taken_for_persons(name: str) -> None:
    assert proposed_roles([column(name, 400), column("sex", 2)])[0].role != "identifier"


def test_a_flag_about_a_number_is_no_number() -> None:
    flag = replace(column("telephone", 2), values=(ValueCount("yes", 400), ValueCount("none", 600)))
    assert proposed_roles([flag, column("sex", 2)])[0].role == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("age at diagnosis", "quasi-identifier"),
        ("diagnosis age", "quasi-identifier"),
        ("revenu du ménage", "sensitive"),
        ("household_income", "sensitive"),
        ("età alla diagnosi", "quasi-identifier"),
        ("address_city", "quasi-identifier"),
        ("residence address", "identifier"),
        ("provincia domicilio", "quasi-identifier"),
    ],
)
def test_the_noun_that_the_others_belong_to_decides(name: str, role: str) -> None:
    assert proposed_roles([column(name), column("sex", 2)])[0].role == role


def test_a_name_in_a_table_of_persons_is_a_persons() -> None:
    of_persons = proposed_roles([column("Name", 30), column("Geschlecht", 2)])[0]
    assert of_persons.role == "identifier"
    assert proposed_roles([column("nom", 30), column("prénom", 30)])[0].role == "identifier"
    of_things = proposed_roles([column("Name", 30), column("Farbe", 2)])[0]
    assert of_things.role == "quasi-identifier"


@pytest.mark.parametrize("name", ["", "!", "…", '"', "a", "de", "1", "日本"])
def test_names_of_no_words_have_a_role_too(name: str) -> None:
    for distinct in (2, 10, 400, 1000):
        assert proposed_roles([column(name, distinct), column("sex", 2)])[0].role
